"""The rules of a spec as a transition network, and its item sets: what may come at each place of a text.

Others import `expectations`, `graph`, `misspelling`, `needle`, `network`, `node`, `spelling`, `symbols`,
`trails`; all else is its own.
"""
