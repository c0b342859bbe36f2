"""Whole conversations as text: written, read, continued, by what an entry of `chats.yaml` declares.

Others import `chat_grammar`, `chat_registry`, `comparing`, `continuing`, `plan`, `template_chat`, `turn_facts`, `verbs`
and `writing`; all else is its own.
"""
