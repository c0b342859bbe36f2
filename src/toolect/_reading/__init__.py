"""The reader: wire text to segments, calls and events, whole or in pieces.

Others import `answer`, `builder`, `course`, `element`, `finished`, `inner_calls`, `json_sink`, `json_value`, `machine`,
`open_call`, `passage`, `probe`, `put_off`, `quotation`, `reader`, `slot`, `stream`, `stride`, `striding`, `text_slot`,
`text_source`, `watcher`, `whole_answer`; all else is its own.
"""
