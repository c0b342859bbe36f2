"""Which dialect a text is in: what every dialect begins with in one index, a search over all of them, and a ranking.

Others import `auto`, `dropped`, `guess`, `index`, `leaks`, `mixed`, `ranking`, `traits`; all else is its own.
"""
