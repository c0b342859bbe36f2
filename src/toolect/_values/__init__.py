"""Text and typed values: codecs, literals, escapes, layouts, and what a tool's schema says.

Others import `codec`, `escapes`, `json_lexemes`, `layout`, `ref`, `schema`, `text_values`, `trees`,
`vocabulary`; all else is its own.
"""
