"""Whole conversations as text: written, read, continued, by what an entry of `chats.yaml` declares.

Others import `chat_grammar`, `chat_registry`, `comparing`, `control_tokens`, `continuing`, `left_unread`, `plan`,
`prompt_tools`, `round_trips`, `template_chat`, `transcript_reader`, `turn_facts`, `verbs` and `writing`; all else is
its own.
"""
