"""Text and typed values: codecs, literals, escapes, layouts, and what a tool's schema says.

Others import `cdata`, `codec`, `doubtful`, `escapes`, `fitting`, `json_lexemes`, `layout`, `literals`, `ref`, `schema`,
`schema_keywords`, `text_values`, `toolset`, `trees`, `type_names`, `vocabulary`, `yaml_text`; all else is its own.
"""
