"""Rendering of tools and results in a prompt.

Others import `notation`, `outputs`, `tools`; all else is its own.
"""
