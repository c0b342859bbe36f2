"""The base of all errors of toolect."""

from __future__ import annotations


class ToolectError(Exception):
    """Base of the errors for bad input; arguments that no function takes are TypeError or ValueError alone."""

    __module__ = "toolect"  # where it is imported from, as tracebacks show it
