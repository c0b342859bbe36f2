"""Rows of data sets as conversations: which kind a row is of is declared, in `rows.yaml` and in files of users.

Others import `account`, `dialect_detection`, `ignored_fields`, `open_row`, `row_fields`, `row_parts`, `row_readers` and
`row_source`; all else is its own.
"""
