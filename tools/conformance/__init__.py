"""Dialects held against what others say: parsers of other projects, wire formats, chat templates."""
