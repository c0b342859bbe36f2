"""Proving that specs are sound: checks that show what is wrong, with a text that shows it."""

from toolect.authoring.lint.runner import Report, lint

__all__ = ["Report", "lint"]
