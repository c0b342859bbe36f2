"""What every dialect can carry, and what is lost between any two: found out by writing messages and reading them.

A message that comes back as it was is, to whoever reads it, the message that was meant. So what a conversion loses is
known from its two ends: the messages that the source carries and the target does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from toolect._compiled import Dialect
from toolect._corpora.features import FEATURES, Feature, Sense
from toolect._corpora.fidelity import FeatureOutcome, FeatureVerdict, Finding, find, good, judge, markers
from toolect._message import Message
from toolect._processes import pool
from toolect._spec.model import Spec


class Standing(msgspec.Struct, frozen=True):
    """One dialect: a finding for each feature, and which of the matrix' probes it carries, as bits.

    `declared` are those carried with declared tools or without, `bare` those carried without.
    """

    dialect: str
    findings: tuple[Finding, ...]
    declared: int
    bare: int


class Probe(msgspec.Struct, frozen=True):
    """A message that is tried on all dialects, and the number of its feature."""

    feature: int
    message: Message


class LossBetween(msgspec.Struct, frozen=True):
    """What is lost from one dialect to another, as numbers of features.

    `lost` are those with a message that the source carries and the target does not, `untyped` the others with one
    that the source carries by itself and the target with declared tools only.
    """

    lost: tuple[int, ...]
    untyped: tuple[int, ...]


class Matrix:
    """The features, the standing of each dialect, and the losses between them."""

    def __init__(self, features: Sequence[Feature], probes: Sequence[Probe], standings: Iterable[Standing]) -> None:
        self.features = tuple(features)
        self.probes = tuple(probes)
        self.standings = {standing.dialect: standing for standing in standings}
        self._masks = [0] * len(self.features)
        for bit, probe in enumerate(self.probes):
            if self.features[probe.feature].sense is not Sense.STREAM:
                self._masks[probe.feature] |= 1 << bit

    def loss(self, source: str, target: str) -> LossBetween:
        """What a conversion from `source` to `target` loses."""
        a, b = self.standings[source], self.standings[target]
        gone, undeclared = a.declared & ~b.declared, a.bare & ~b.bare
        lost = tuple(number for number, mask in enumerate(self._masks) if gone & mask)
        untyped = tuple(number for number, mask in enumerate(self._masks) if undeclared & mask and number not in lost)
        return LossBetween(lost, untyped)

    def carried(self, dialect: str) -> list[Probe]:
        """The probes that a dialect carries, with declared tools."""
        return self._probes(self.standings[dialect].declared)

    def lost_probes(self, source: str, target: str) -> list[Probe]:
        """The probes that `source` carries and `target` does not, with declared tools."""
        return self._probes(self.standings[source].declared & ~self.standings[target].declared)

    def _probes(self, bits: int) -> list[Probe]:
        """The probes that are on; streaming is nothing that a conversion keeps."""
        kept = (probe for bit, probe in enumerate(self.probes) if bits >> bit & 1)
        return [probe for probe in kept if self.features[probe.feature].sense is not Sense.STREAM]

    def order(self) -> list[str]:
        """The dialects so that those between which little is lost are neighbours, from the one that carries most."""
        at = max(self.standings.values(), key=lambda s: s.declared.bit_count()).dialect
        left, found = dict.fromkeys(self.standings), [at]
        del left[at]
        while left:
            at = min(left, key=partial(self._distance, at))
            found.append(at)
            del left[at]
        return found

    def _distance(self, a: str, b: str) -> int:
        """How much is lost between two dialects, in both directions."""
        return sum(3 * len(loss.lost) + len(loss.untyped) for loss in (self.loss(a, b), self.loss(b, a)))


# Making it


def measure(specs: Iterable[Spec], features: Sequence[Feature] = FEATURES, jobs: int = 1) -> Matrix:
    """The matrix of some dialects, made by so many processes.

    Every dialect is tried with its own markers. All are then tried with those that their own dialect does not hold.
    """
    specs = list(specs)
    if jobs < 2 or len(specs) < 2:
        return _measure(specs, features, map)
    with pool(min(jobs, len(specs))) as processes:
        return _measure(specs, features, partial(processes.map, chunksize=2))


def _measure(specs: Sequence[Spec], features: Sequence[Feature], run: Callable[..., Iterable[Any]]) -> Matrix:
    fixed = [Probe(number, message) for number, feature in enumerate(features) for message in feature.messages]
    owns: list[Own] = list(run(partial(_own, features), specs))
    shared = sorted({pair for own in owns for pair in own.unheld})
    probes = [Probe(n, message) for n, marker in shared for message in features[n].with_markers([marker])]
    outcomes: Iterable[list[FeatureOutcome]] = run(partial(_tried, features, probes), specs)
    standings = [
        Standing(own.dialect, own.findings, *_bits([*own.outcomes, *more]))
        for own, more in zip(owns, outcomes, strict=True)
    ]
    return Matrix(features, [*fixed, *probes], standings)


class Own(msgspec.Struct, frozen=True):
    """What a dialect makes of the features: findings, the outcomes of their messages, and markers that it cannot hold.

    Those come with the number of the feature that asks for it.
    """

    dialect: str
    findings: tuple[Finding, ...]
    outcomes: list[FeatureOutcome]
    unheld: list[tuple[int, str]]


def _own(features: Sequence[Feature], spec: Spec) -> Own:
    """A dialect by itself."""
    dialect = Dialect(spec)
    own = Own(spec.name, (), [], [])
    findings = []
    for number, feature in enumerate(features):
        outcomes = [judge(dialect, message, feature.sense) for message in feature.messages]
        own.outcomes.extend(outcomes)
        held = markers(dialect) if feature.holding else []
        for marker, message in zip(held, feature.with_markers(held), strict=True):
            outcomes.append(judge(dialect, message, feature.sense))
            if not good(outcomes[-1]):
                own.unheld.append((number, marker))
        findings.append(find(outcomes))
    return replace(own, findings=tuple(findings))


def _tried(features: Sequence[Feature], probes: Sequence[Probe], spec: Spec) -> list[FeatureOutcome]:
    """What a dialect makes of the probes."""
    dialect = Dialect(spec)
    return [judge(dialect, probe.message, features[probe.feature].sense) for probe in probes]


def _bits(outcomes: Sequence[FeatureOutcome]) -> tuple[int, int]:
    """Which outcomes went well with declared tools, and which without."""
    declared = sum(1 << bit for bit, outcome in enumerate(outcomes) if good(outcome))
    bare = sum(1 << bit for bit, outcome in enumerate(outcomes) if outcome.verdict is FeatureVerdict.CARRIED)
    return declared, bare
