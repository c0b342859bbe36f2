"""Whole conversations as text: written, read, continued, by what an entry of `chats.yaml` declares.

Others import `chat_registry`, `comparing`, `template_chat` and `verbs`; all else is its own.
"""
