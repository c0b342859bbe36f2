"""Data sets: rows of any kind as conversations, and as rows of another kind, each with an account.

Others import `account`, `converting`, `finding_out`, `job`, `keeping`, `kinds`, `on_ray`, `place`, `row_meaning`,
`row_page`, `row_readers`, `row_report`, `row_source` and `row_targets`; all else is its own.
"""
