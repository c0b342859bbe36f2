"""Figures of the source code of toolect: its size, who imports whom, and how much runs to read an answer."""
