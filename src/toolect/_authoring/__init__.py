"""What authors of dialects use: lint, corpus, generator, laws, derivations, induction."""
