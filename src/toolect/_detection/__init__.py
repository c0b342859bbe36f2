"""Which dialect a text is in: the marks of every dialect in one index, a reader of mixed text, and a ranking.

Others import `auto`, `dropped`, `guess`, `index`, `needles`, `ranking`, `traits`; all else is its own.
"""
