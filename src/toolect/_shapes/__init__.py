"""JSON and its shapes: which parts of a value are calls, read and written.

Others import `alternatives`, `broken_text`, `elsewhere`, `json_reader`, `open_value`, `shape_events`, `write`; all
else is its own.
"""
