"""Verdicts of `toolect.score` beside those of the checker of BFCL."""
