"""How definitions of tools, and outputs of calls, are spelled in a prompt.

Others import `notation`, `outputs`, `tools`; all else is its own.
"""
