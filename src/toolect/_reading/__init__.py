"""The reader: wire text to segments, calls and events, whole or in pieces.

Others import `builder`, `element`, `finished`, `inner_calls`, `json_sink`, `prefill`, `quotation`, `scalars`, `stream`,
`watcher`, `whole_answer`; all else is its own.
"""
