"""Fidelity of dialects, and coverage of a corpus of model output by dialect.

Others import `any_json`, `coverage_page`, `drawn`, `examine`, `features`, `fidelity`, `page`, `records`, `report`,
`sources`, `stats`, `table`, `table_cells`, `tally`, `value_kinds`; all else is its own.
"""
