"""What dialects can carry, and what a corpus of model output holds of each.

Others import `any_json`, `coverage_page`, `drawn`, `examine`, `features`, `fidelity`, `page`, `records`, `report`,
`sources`, `stats`, `table`, `table_cells`, `tally`, `value_kinds`; all else is its own.
"""
