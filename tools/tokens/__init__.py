"""Real tokenizers: fetched, and our ids held against those of other packages."""
