"""Calls held against expected ones: what counts as right, why one does not, and the figures of many answers.

Others import `call_check`, `expectation`, `score_files`, `score_page` and `score_report`; all else is its own.
"""
