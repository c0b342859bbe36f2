"""Whole conversations as text: written, read, continued, by what an entry of `chats.yaml` declares.

Others import `chat_grammar`, `chat_registry`, `continuing`, `control_tokens`, `conversation_diff`, `grammar_chat`,
`plan`, `prompt_tools`, `round_trips`, `template_chat`, `transcript_reader`, `transcript_writer` and `turn_facts`; all
else is its own.
"""
