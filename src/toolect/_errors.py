"""The base of all errors of toolect."""

from __future__ import annotations


class ToolectError(Exception):
    """Base of what is raised for bad input; arguments that no call takes are TypeError or ValueError alone."""

    __module__ = "toolect"  # where it is imported from, as tracebacks show it
