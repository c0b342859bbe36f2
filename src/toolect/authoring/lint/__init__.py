"""Proving that specs are sound: checks that show what is wrong, with a text that shows it."""

from toolect.authoring.lint.lint_report import Report
from toolect.authoring.lint.runner import lint

__all__ = ["Report", "lint"]
