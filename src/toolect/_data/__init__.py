"""Data sets: rows as rows of another kind, each with an account of what became of it, and files of them.

Others import `converting`, `job`, `keeping`, `on_ray`, `row_page`, `row_report` and `row_targets`; all else is its own.
"""
