"""What a conversion from one dialect to another loses, shown by conversions."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from toolect._compiled import Dialect
from toolect._conversion import carry
from toolect._corpora.features import Feature
from toolect._corpora.fidelity import difference, same, written
from toolect._corpora.matrix import Matrix, Probe
from toolect._message import Message
from toolect._rendering.roundtrip import tools_of


class LostFeature(msgspec.Struct, frozen=True):
    """A feature that is lost: why, what shows it, and a message in the source as it is written in the target.

    `lost` of the `tried` messages that the source carries do not come through.
    """

    feature: str
    reason: str
    witness: str
    source: str
    target: str
    lost: int
    tried: int


def examples(matrix: Matrix, source: Dialect, target: Dialect) -> Iterator[LostFeature]:
    """An example of each feature that is lost, in the order of the features."""
    gone: dict[int, list[Probe]] = {}
    for probe in matrix.lost_probes(source.name, target.name):
        gone.setdefault(probe.feature, []).append(probe)
    for number, probes in sorted(gone.items()):
        tried = sum(probe.feature == number for probe in matrix.carried(source.name))
        text, converted, (reason, witness) = shown(matrix.features[number], probes[0].message, source, target)
        yield LostFeature(matrix.features[number].name, reason, witness, text, converted, len(probes), tried)


def shown(feature: Feature, message: Message, source: Dialect, target: Dialect) -> tuple[str, str, tuple[str, str]]:
    """A message in the source, converted to the target, and what that loses: why, and what shows it.

    The reason is empty when nothing is lost.
    """
    tools = tools_of(message)
    text = written(source, message, tools)
    done = carry(source.parse(text, tools), target, tools)
    back = target.parse(done.text, tools, mode="strict")
    if same(message, back, feature.sense):
        return text, str(done.text), ("", "")
    for loss in done.losses:
        return text, str(done.text), (f"{loss.slot}: {loss.reason}", loss.witness)
    return text, str(done.text), (difference(message, back, feature.sense), "")
