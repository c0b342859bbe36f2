"""JSON and its shapes: which parts of a value are calls, read and written.

Others import `alternatives`, `json_reader`, `loose`, `mend`, `shape_events`, `shape_reader`, `whole`,
`write`; all else is its own.
"""
