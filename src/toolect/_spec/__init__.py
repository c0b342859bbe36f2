"""What a dialect is, as declared: the YAML entry and the Lark grammar, read into one `Spec`.

Others import `document`, `entry`, `given`, `grammar_source`, `holes`, `lark_loader`, `leaves`, `load`, `model`,
`problems`, `prompts`; all else is its own.
"""
