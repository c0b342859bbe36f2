"""Draws texts of every dialect, damages them, and holds every law of reading against them."""
