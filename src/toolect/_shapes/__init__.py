"""JSON and its shapes: which parts of a value are calls, read and written.

Others import `alternatives`, `elsewhere`, `json_reader`, `loose`, `mend`, `shape_events`, `shape_reader`,
`write`; all else is its own.
"""
