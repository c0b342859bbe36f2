"""Conversations as APIs and data sets have them: their turns and tools, read and written.

Others import `anthropic_messages`, `definitions`, `embedded_tools`, `gathering`, `media`, `openai_messages`,
`order_of_calls`, `response_items`, `sent_calls` and `sharegpt`; all else is its own.
"""
