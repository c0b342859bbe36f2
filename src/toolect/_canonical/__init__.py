"""Fused reading: canonical answers that are there as a whole, run by run of markers, each one regular expression.

All of an answer is read so, or nothing of it is kept, and the search reads it. Each step is one that costs the search
nothing, where all others cost something: so its cheapest path is the same.

Others import `fast_path`; all else is its own.
"""
