"""The matrix as a page: a table of what each dialect can carry, and a field of what conversions lose."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from toolect.coverage.features import Feature
from toolect.coverage.matrix import Matrix, Standing
from toolect.coverage.page import Html, Section, Share, fold, join, legend, page, percent, stacked, table, tag
from toolect.coverage.verdict import Finding, Verdict

MEANING = {
    Verdict.CARRIED: "comes back as it was, whoever reads it",
    Verdict.WITH_SCHEMA: "comes back where tools are declared",
    Verdict.CHANGED: "something else comes back",
    Verdict.REFUSED: "is not written",
}
_STEPS = 8
_SHOWN = 240


def matrix_page(matrix: Matrix) -> str:
    """The whole page."""
    names = sorted(matrix.standings)
    losses = {(a, b): len(matrix.loss(a, b).lost) for a in names for b in names if a != b}
    whole = sum(not lost for lost in losses.values())
    mean = sum(losses.values()) / max(len(losses), 1)
    facts = [
        ("dialects", len(names), ""),
        ("features", len(matrix.features), ""),
        ("messages, each in every dialect", len(matrix.probes), ""),
        ("conversions that lose nothing", percent(whole, len(losses)), "good"),
        ("features lost by a conversion, on average", f"{mean:.1f}", "warn"),
    ]
    css = Html(Path(__file__).with_name("matrix.css").read_text("utf-8"))
    sections = [
        Section("What each dialect can carry", join([tag("style", css), _grid(matrix)]), _GRID),
        Section("What conversions lose", _field(matrix, losses), _FIELD),
        Section("Features", _features(matrix)),
        Section("Dialects", join(_dialect(matrix, standing) for standing in matrix.standings.values()), _DIALECTS),
    ]
    return page("What dialects can carry", _LEAD, facts, sections)


_LEAD = (
    "Every feature of a message, tried on every dialect: messages that have it are written in the dialect and read back"
    " strictly. Nothing here is declared; all of it was found out by such round trips."
)
_GRID = "Point at a cell for the reason and for what shows it."
_FIELD = (
    "Each row is a source, each column a target. A cell counts the features of which the source carries a message that"
    " the target does not, tools being declared. Point at a cell for their names."
)
_DIALECTS = "What stands in the way of each feature that is not carried."


# What each dialect can carry


def _grid(matrix: Matrix) -> Html:
    """The table of dialects and features."""
    groups = Counter(feature.group for feature in matrix.features)
    starts = {n for n, f in enumerate(matrix.features) if not n or f.group != matrix.features[n - 1].group}
    first = ["first" if n in starts else None for n in range(len(matrix.features))]
    over = [tag("th", group, colspan=count, class_="group first") for group, count in groups.items()]
    names = [
        tag("th", tag("span", f.name, class_="slanted"), title=f.meaning, class_=kind)
        for f, kind in zip(matrix.features, first, strict=True)
    ]
    rows = [
        tag("tr", tag("td", name), *(
            tag("td", tag("i", title=_tip(name, f, finding), class_=f"cell {finding.verdict}"), class_=kind)
            for f, finding, kind in zip(matrix.features, standing.findings, first, strict=True)
        ))
        for name, standing in matrix.standings.items()
    ]  # fmt: skip
    head = tag("thead", tag("tr", tag("th"), *over), tag("tr", tag("th"), *names))
    signs = legend((f"{verdict}: {meaning}", verdict) for verdict, meaning in MEANING.items())
    return join([tag("div", tag("table", head, tag("tbody", *rows), class_="grid"), class_="tall"), signs])


def _tip(name: str, feature: Feature, finding: Finding) -> str:
    """What pointing at a cell says."""
    head = f"{name}, {feature.name}: {finding.verdict}"
    return head if finding.verdict is Verdict.CARRIED else "\n".join([head, *_why(finding)])


def _why(finding: Finding) -> Iterator[str]:
    """Why a feature is not carried, and what shows it."""
    yield f"{finding.tried - finding.carried} of {finding.tried} messages: {_short(finding.reason)}"
    if finding.witness:
        yield _short(finding.witness)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


# What conversions lose


def _field(matrix: Matrix, losses: dict[tuple[str, str], int]) -> Html:
    """The field of sources and targets, with orders to choose from: its rows and columns are put in order by style."""
    likely, names = matrix.order(), sorted(matrix.standings)
    lossy = sorted(
        names, key=lambda name: sum(losses[name, other] - losses[other, name] for other in names if other != name)
    )
    number = {name: f"d{i}" for i, name in enumerate(likely)}
    most = max(losses.values(), default=0)
    top = tag("div", tag("b"), *(tag("i", name, class_=number[name]) for name in likely), class_="line top")
    lines = [
        tag("div", tag("b", a), *(_cell(matrix, a, b, most, number[b]) for b in likely), class_=f"line {number[a]}")
        for a in likely
    ]
    orders = {"likeness": likely, "name": names, "what they give and take": lossy}
    rules, choices = [], []
    for key, (title, order) in enumerate(orders.items()):
        checked = "" if key else " checked"
        choices.append(Html(f'<input type="radio" name="order" id="o{key}" class="orders"{checked}>'))
        choices.append(tag("label", title, for_=f"o{key}"))
        rules += [f"#o{key}:checked~.loss .{number[name]}{{order:{at}}}" for at, name in enumerate(order)]
    body = tag("div", tag("div", top, *lines, class_="lines"), class_="loss tall")
    scale = tag(
        "p",
        "none ",
        *(tag("i", class_=f"l{step}") for step in range(_STEPS + 1)),
        f" {most} lost",
        class_="legend scale",
    )
    return join([tag("style", Html("\n".join(rules))), tag("span", "Order by ", class_="quiet"), *choices, body, scale])


def _cell(matrix: Matrix, source: str, target: str, most: int, number: str) -> Html:
    """One conversion."""
    if source == target:
        return tag("i", class_=f"{number} same")
    loss = matrix.loss(source, target)
    lines = [f"{source} → {target}: {len(loss.lost) or 'nothing'} lost"]
    lines += [", ".join(matrix.features[n].name for n in loss.lost)] if loss.lost else []
    lines += (
        ["only with declared tools: " + ", ".join(matrix.features[n].name for n in loss.untyped)]
        if loss.untyped
        else []
    )
    return tag("i", title="\n".join(lines), class_=f"{number} l{math.ceil(_STEPS * len(loss.lost) / max(most, 1))}")


# Word by word


def _features(matrix: Matrix) -> Html:
    """The features, what they mean, and how many dialects have them."""
    rows = []
    for number, feature in enumerate(matrix.features):
        counts = Counter(standing.findings[number].verdict for standing in matrix.standings.values())
        bar = stacked([Share(verdict, counts[verdict], verdict) for verdict in Verdict])
        rows.append([feature.group, tag("b", feature.name), feature.meaning, bar, counts[Verdict.CARRIED]])
    return table(["group", "feature", "meaning", "dialects", "carried by"], rows, left=4)


def _dialect(matrix: Matrix, standing: Standing) -> Html:
    """What a dialect does not carry, folded."""
    pairs = zip(matrix.features, standing.findings, strict=True)
    rows = [
        [feature.name, finding.verdict, tag("code", next(why)), join(tag("code", line) for line in why)]
        for feature, finding in pairs
        if finding.verdict is not Verdict.CARRIED
        for why in [_why(finding)]
    ]
    summary = join([standing.dialect, tag("small", f"{len(rows)} of {len(matrix.features)} not carried by itself")])
    return fold(summary, table(["feature", "verdict", "why", "shown by"], rows, left=4))
