"""The reader: wire text to segments, calls and events, whole or in pieces.

Others import `builder`, `course`, `json_slot`, `machine`, `passage`, `reader`, `runs`, `slot`, `stream`, `stride`,
`striding`, `text_slot`, `watcher`, `whole_answer`; all else is its own.
"""
