"""Score page: the report on answers with bars, and the answers that are not right with their parse in colour."""

from __future__ import annotations

from toolect import registry
from toolect._authoring.derivation import derive
from toolect._corpora.any_json import encoded
from toolect._corpora.drawn import KINDS, Spot, spots
from toolect._corpora.page import draw_page
from toolect._scoring.expectation import Grade
from toolect._scoring.score_report import COLOURS, ScoreReport, Wrong, score_tables
from toolect._shown import counted, percent

SHOWN_TOOLS = 40


def score_page(report: ScoreReport, what: str, command: str = "") -> str:
    """The page of the report on the answers in `what`."""
    total, counts = report.total, report.total.counts
    unread = counts[Grade.MALFORMED] + counts[Grade.TRUNCATED]
    lead = f"Of {counted(total.cases, 'case')} {total.right:,} are right ({percent(total.right, total.cases)})."
    facts = [
        ("cases", total.cases, ""), ("right", percent(total.right, total.cases), "good"),
        ("repaired", counts[Grade.REPAIRED], "warn" * bool(counts[Grade.REPAIRED])),
        ("wrong", counts[Grade.WRONG], "bad" * bool(counts[Grade.WRONG])),
        ("not read", unread, "bad" * bool(unread)), ("not used", len(report.troubles), "bad" * bool(report.troubles)),
    ]  # fmt: skip
    return draw_page(
        "score.html", command, encoded(report), what=what, lead=lead, facts=facts, report=report,
        tables=score_tables(report, SHOWN_TOOLS), legends=[*COLOURS.items()], kinds=KINDS,
        reasons=[*report.reasons.items()], samples=[(one, _spots(one)) for one in report.wrong],
    )  # fmt: skip


def _spots(wrong: Wrong) -> list[Spot]:
    """The text of an answer in colour; plain where it is in several dialects, or in none."""
    if len(wrong.dialects) != 1:
        return [Spot(wrong.text, "content", KINDS["content"])] if wrong.text else []
    return spots(derive(registry.dialect(wrong.dialects[0]), wrong.text, None))
