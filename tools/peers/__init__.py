"""Reads the same texts with toolect and with other packages, each in an environment of its own, and times them."""
