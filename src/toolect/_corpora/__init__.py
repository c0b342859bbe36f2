"""What dialects can carry, and what a corpus of model output holds of each.

Others import `any_json`, `coverage_page`, `drawn`, `examine`, `features`, `fidelity`, `packed`, `page`, `records`,
`report`, `report_tables`, `sources`, `stats`, `survey`, `table`, `table_cells`, `tally`, `value_kinds`; all else is its
own.
"""
