"""Whole conversations as text: written, read, continued, by what an entry of `chats.yaml` declares.

Others import `chat_registry`, `comparing`, `continuing`, `template_chat` and `verbs`; all else is its own.
"""
