"""Regular expressions as automata: members, common words, and what makes one slow or endless.

Others import `ambiguity`, `automaton`, `extent`, `sample`, `shared_words`, `syntax`; all else is its own.
"""
