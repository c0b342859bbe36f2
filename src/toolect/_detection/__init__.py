"""Detection of dialects: an index of what each begins with, a search over all of them, and a ranking.

Others import `auto`, `dropped`, `guess`, `index`, `leaks`, `mixed`, `ranking`, `traits`; all else is its own.
"""
