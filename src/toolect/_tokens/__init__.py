"""Ids of tokenizers: texts encoded so that each id is known, answers read id by id.

Others import `adapting`, `answer_parts`, `encoded_text`, `encoding`, `token_stream`, `tokenizer_protocol` and `veil`;
all else is its own.
"""
