"""What a prompt says of tools and of their results, in a dialect's own way.

Others import `results`, `tools`; all else is its own.
"""
