"""Tools for authors of dialects: lint, corpus, generator, laws, derivations, induction.

Others import `derivation`, `editor_schema`, `generate`, `induction`, `lint`; all else is its own.
"""
