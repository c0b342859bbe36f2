"""Draws messages and wire text of a dialect from its spec, and breaks them in named ways.

Everything is driven by one `random.Random`: the same seed gives the same again.
"""

from toolect.generate.corrupt import Corruption, corrupt
from toolect.generate.messages import message
from toolect.generate.minimal import minimal
from toolect.generate.reach import Alternative, alternatives
from toolect.generate.samples import Sample, derivations, mixed, samples, unreached

__all__ = [
    "Alternative", "Corruption", "Sample", "alternatives", "corrupt", "derivations", "message", "minimal", "mixed",
    "samples", "unreached",
]  # fmt: skip
