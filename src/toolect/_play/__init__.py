"""Playground: a page that shows how texts are read, and the application that serves it.

Others import `app`, `view_models`; all else is its own.
"""
