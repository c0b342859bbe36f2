"""What authors of dialects use: lint, corpus, generator, laws, derivations, induction.

Others import `derivation`, `editor_schema`, `generate`, `induction`, `lint`; all else is its own.
"""
