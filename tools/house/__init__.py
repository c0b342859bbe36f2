"""Figures of the source code of toolect: its size, and how much runs to read an answer."""
