"""Conversations as APIs and data sets have them: their turns and tools, read and written.

Others import `anthropic_messages`, `definitions`, `gathering`, `media`, `numbering`, `openai_messages`,
`order_of_calls`, `plain_messages`, `plain_text`, `response_items`, `sent_calls`, `sharegpt` and `embedded_tools`; all
else is its own.
"""
