"""Finds out what every dialect can carry, and writes it to docs/matrix.json; the page about it is made from that.

With --check it fails when the file does not say what is found. It takes the time of `toolect coverage --matrix`, which
is why the page is not made from the dialects themselves.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from markdown_text import cell, table

from toolect import registry
from toolect.coverage.features import FEATURES
from toolect.coverage.matrix import Matrix, measure
from toolect.coverage.run import cores
from toolect.coverage.verdict import Verdict

FILE = Path(__file__).resolve().parent.parent / "docs" / "matrix.json"
SIGN = {Verdict.CARRIED: "●", Verdict.WITH_SCHEMA: "◐", Verdict.CHANGED: "○", Verdict.REFUSED: "·"}
SHOWN = 6
"""Dialects that are named in a cell of the table of features."""


class Found(msgspec.Struct, frozen=True):
    """What is found about a dialect: a sign for each feature, and the features lost on average by a conversion."""

    signs: str
    into: float
    out: float


class Findings(msgspec.Struct, frozen=True):
    """What is found about all: the names of the features, the dialects, and how many conversions lose nothing."""

    features: list[str]
    messages: int
    lossless: int
    dialects: dict[str, Found]


def findings(matrix: Matrix) -> Findings:
    """What the matrix says, in short."""
    names = list(matrix.standings)
    lost = {(a, b): len(matrix.loss(a, b).lost) for a in names for b in names if a != b}
    dialects = {
        name: Found(
            signs(matrix, name),
            round(sum(lost[other, name] for other in names if other != name) / (len(names) - 1), 1),
            round(sum(lost[name, other] for other in names if other != name) / (len(names) - 1), 1),
        )
        for name in names
    }
    features = [feature.name for feature in matrix.features]
    return Findings(features, len(matrix.probes), sum(not count for count in lost.values()), dialects)


def signs(matrix: Matrix, name: str) -> str:
    """The sign of each feature for a dialect."""
    return "".join(SIGN[finding.verdict] for finding in matrix.standings[name].findings)


def read() -> Findings:
    """What the file says."""
    return msgspec.json.decode(FILE.read_bytes(), type=Findings)


def written(found: Findings) -> str:
    """The file's text, one dialect a line."""
    plain = msgspec.to_builtins(found)
    dialects = ",\n".join(
        f"  {json.dumps(n)}: {json.dumps(d, ensure_ascii=False)}" for n, d in plain["dialects"].items()
    )
    head = json.dumps({key: value for key, value in plain.items() if key != "dialects"}, ensure_ascii=False)
    return f'{head[:-1]},\n"dialects": {{\n{dialects}\n}}}}\n'


# The page


def page() -> str:
    """The page about what dialects can carry."""
    found = read()
    pairs = len(found.dialects) * (len(found.dialects) - 1)
    return _PAGE.format(
        features=len(found.features),
        messages=found.messages,
        lossless=f"{found.lossless:,} of {pairs:,}",
        by_feature=table([("feature", "what it is", "●", "◐", "○", "·"), *_by_feature(found)]),
        by_dialect=table([*_by_dialect(found)]),
    )


def _by_feature(found: Findings) -> Iterator[tuple[str, ...]]:
    for number, feature in enumerate(FEATURES):
        cells = []
        for verdict, sign in SIGN.items():
            names = [name for name, dialect in found.dialects.items() if dialect.signs[number] == sign]
            cells.append(str(len(names) or "") if verdict is Verdict.CARRIED else _named(names))
        yield cell(feature.name), cell(feature.meaning), *cells


def _named(names: list[str]) -> str:
    if len(names) <= SHOWN:
        return ", ".join(names)
    return f"{len(names)}: {', '.join(names[: SHOWN // 2])}, …"


def _by_dialect(found: Findings) -> Iterator[tuple[str, ...]]:
    groups = list(dict.fromkeys(feature.group for feature in FEATURES))
    yield "dialect", *groups, "into", "from"
    for name, dialect in found.dialects.items():
        parts = [
            "".join(sign for sign, feature in zip(dialect.signs, FEATURES, strict=True) if feature.group == group)
            for group in groups
        ]
        yield f"[`{name}`](dialects/{name}.md)", *parts, str(dialect.into), str(dialect.out)


_PAGE = """# What dialects can carry

Written by `tools/docs.py` from `docs/matrix.json`, which `tools/matrix.py` writes. Nothing of it is declared: for each
of {features} features there are messages that have it, {messages} in all, and each of them is written in every dialect
and read back strictly, first without tools, then with tools that declare the types of the arguments.

- `●` **carried**: it comes back as it was, whoever reads it
- `◐` **with-schema**: it comes back where the tools are declared
- `○` **changed**: it is written, and something else comes back
- `·` **refused**: it is not written; `render` raises `Unrepresentable` with the reason

`toolect coverage --matrix` finds out the same, with the reason and what shows it: of all dialects as a table, with
`--html FILE` as a page to look at, with `--json` as data; of one dialect in full; of two, what is lost between them.

```console
$ toolect coverage --matrix --dialect kimi-k2 --dialect mistral-v13
kimi-k2 → mistral-v13
  2 features lost
...
mistral-v13 → kimi-k2
...
  no ids (1 of 1): the id None comes back as 'functions.get_time:0'
...
```

A feature is lost by a conversion when the source carries a message with it that the target does not, tools being
declared. What streams, and what does not, is nothing that a conversion loses. The markers that a text or a string must
hold are those of the dialect itself; a conversion is tried with those of all dialects. {lossless} conversions lose
nothing at all.

## By feature

Behind `●` is the number of dialects; the others are named, where they are not many.

{by_feature}

## By dialect

A sign for each feature, in the order of the table above. `into` and `from` are the numbers of features that a
conversion into the dialect, or from it, loses on average.

{by_dialect}
"""


def main(arguments: list[str]) -> int:
    """Writes the file, or says that it is out of date."""
    if arguments not in ([], ["--check"]):
        print(f"expected --check or nothing, got {' '.join(arguments)}", file=sys.stderr)
        return 2
    began = time.monotonic()
    text = written(findings(measure(map(registry.spec, registry.dialects()), jobs=cores())))
    if arguments and FILE.read_text(encoding="utf-8") != text:
        print("docs/matrix.json is out of date: run `python tools/matrix.py`", file=sys.stderr)
        return 1
    FILE.write_text(text, encoding="utf-8")
    print(f"{len(registry.dialects())} dialects by {cores()} processes in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
