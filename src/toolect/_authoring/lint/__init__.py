"""Proving that specs are sound: laws and checks that show what is wrong, by a text that shows it."""

from toolect._authoring.lint.runner import LintReport, lint

__all__ = ["LintReport", "lint"]
