"""Draws messages and wire text of a dialect from its spec, and breaks them in named ways.

Everything is driven by one `random.Random`: the same seed gives the same again.
"""

from toolect._authoring.generate.corruption import Corruption, corrupt
from toolect._authoring.generate.random_messages import message, minimal
from toolect._authoring.generate.samples import Sample, derivations, mixed, rendered, samples

__all__ = ["Corruption", "Sample", "corrupt", "derivations", "message", "minimal", "mixed", "rendered", "samples"]
