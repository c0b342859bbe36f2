"""Conversations as APIs and data sets have them: their turns and tools, read and written.

Others import `definitions` and `openai_messages`; all else is its own.
"""
