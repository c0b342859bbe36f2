"""Features that a dialect does not carry, and what it says to each: rows for its page."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._compiled import Dialect
from toolect._corpora.features import FEATURES, Sense
from toolect._corpora.fidelity import FeatureOutcome, FeatureVerdict, judge, markers
from tools.markdown_text import cell, code

LOST = (FeatureVerdict.CHANGED, FeatureVerdict.REFUSED)
SENSES = (Sense.MEANING, Sense.IDS)
"""What must come back: how arguments are ordered, spelled and streamed is on no page."""


def refused(dialect: Dialect) -> Iterator[tuple[str, str]]:
    """What the dialect does not carry as it is, and why; both as cells of a table."""
    reasons: dict[str, list[str]] = {}
    for feature in FEATURES:
        for outcome in (judge(dialect, one, feature.sense) for one in feature.messages if feature.sense in SENSES):
            if outcome.verdict in LOST:
                reasons.setdefault(_why(outcome), []).append(cell(feature.meaning))
                break
    yield from (("; ".join(titles), reason) for reason, titles in reasons.items())
    for feature in FEATURES:
        if feature.holding is not None and judge(dialect, feature.holding(" "), feature.sense).verdict not in LOST:
            tried = ((marker, judge(dialect, feature.holding(marker), feature.sense)) for marker in markers(dialect))
            if found := [code(marker) for marker, outcome in tried if outcome.verdict in LOST]:
                title = feature.meaning.removesuffix("a marker of the dialect")
                yield f"{title}{', '.join(found)}", "would not be read back as it is"


def _why(outcome: FeatureOutcome) -> str:
    """Why something is lost, for a cell of a table."""
    why, _, regex = outcome.reason.partition(" /")
    if outcome.verdict is FeatureVerdict.CHANGED:
        return cell(outcome.reason)
    return f"{cell(why)} {code('/' + regex)}: {code(outcome.witness)}" if regex else cell(why)
