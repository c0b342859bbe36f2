"""What a prompt says of tools and of their results, in a dialect's own way.

Others import `notation`, `results`, `tools`; all else is its own.
"""
