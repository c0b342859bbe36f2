"""The reader: wire text to segments, calls and events, whole or in pieces.

Others import `answer`, `builder`, `element`, `finished`, `inner_calls`, `json_sink`, `json_value`, `machine`,
`open_call`, `passage`, `prefill`, `probe`, `put_off`, `quotation`, `slot`, `stream`, `stride`, `striding`, `text_slot`,
`text_source`, `watcher`, `whole_answer`; all else is its own.
"""
