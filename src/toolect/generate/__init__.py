"""Draws messages and wire text of a dialect from its spec, and breaks them in named ways.

Everything is driven by one `random.Random`: the same seed gives the same again.
"""
