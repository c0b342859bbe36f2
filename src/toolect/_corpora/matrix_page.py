"""The matrix as a page: a table of what each dialect can carry, and a field of what conversions lose."""

from __future__ import annotations

from toolect._corpora.fidelity import Finding
from toolect._corpora.matrix import Matrix
from toolect._corpora.matrix_tables import MEANING, SIGN, by_feature, findings, losses
from toolect._corpora.page import draw_page
from toolect._shown import cut, percent

STEPS = 8
"""Shades of a loss."""
_SHOWN = 240


def matrix_page(matrix: Matrix, command: str = "") -> str:
    """The whole page."""
    likely, names, lost = matrix.order(), sorted(matrix.standings), losses(matrix)
    orders = {
        "likeness": likely,
        "name": names,
        "what they give and take": sorted(
            names, key=lambda name: sum(lost[name, other] - lost[other, name] for other in names if other != name)
        ),
    }
    facts = [
        ("dialects", len(names), ""),
        ("features", len(matrix.features), ""),
        ("messages, each in every dialect", len(matrix.probes), ""),
        ("conversions that lose nothing", percent(sum(not count for count in lost.values()), len(lost)), "good"),
        ("features lost by a conversion, on average", f"{sum(lost.values()) / max(len(lost), 1):.1f}", "warn"),
    ]
    return draw_page(
        "matrix.html",
        command,
        facts=facts,
        matrix=matrix,
        why=_why,
        meanings=[(f"{SIGN[verdict]} {verdict}: {meaning}", verdict) for verdict, meaning in MEANING.items()],
        orders=orders,
        likely=likely,
        number={name: f"d{at}" for at, name in enumerate(likely)},
        most=max(lost.values(), default=0),
        steps=STEPS,
        by_feature=by_feature(findings(matrix), matrix.features),
    )


def _why(finding: Finding) -> list[str]:
    """Why a feature is not carried, and what shows it."""
    lines = [f"{finding.tried - finding.carried} of {finding.tried} messages: {finding.reason}", finding.witness]
    return [cut(line, _SHOWN) for line in lines if line]
