"""The message builder: what reading decided becomes segments, calls and events.

Others import `builder`, `draft`, `element`, `finished`, `inner_calls`, `json_sink`, `quotation`; all else is its own.
"""
