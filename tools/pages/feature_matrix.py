"""Finds out what every dialect can carry, and writes it to docs/reports/matrix.json, from which its page is made.

With --check it fails when the file does not say what is found. It takes the time of `toolect coverage --matrix`, which
is why the page is not made from the dialects themselves.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import msgspec

from toolect import registry
from toolect.authoring.processes import cores
from toolect.corpora.matrix import measure
from toolect.corpora.matrix_tables import MEANING, SIGN, Findings, by_dialect, by_feature, findings
from toolect.corpora.table import Kind
from tools.pages.markdown_text import drawn

FILE = Path(__file__).resolve().parents[2] / "docs" / "reports" / "matrix.json"


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
        signs="\n".join(f"- `{sign}` **{verdict}**: {MEANING[verdict]}" for verdict, sign in SIGN.items()),
        by_feature=drawn(by_feature(found).without(Kind.BAR)),
        by_dialect=drawn(by_dialect(found), "../dialects/{}.md"),
    )


_PAGE = """# What dialects can carry

Written by `tools/pages/docs.py` from `docs/reports/matrix.json`, which `python -m tools.pages.feature_matrix` writes.
Nothing of it is declared: for each of {features} features there are messages that have it, {messages} in all, and each
of them is written in every dialect and read back strictly, first without tools, then with tools that declare the types
of the arguments.

{signs}

What is refused raises `Unrepresentable` with the reason when it is rendered.

`toolect coverage --matrix` finds out the same, with the reason and what shows it: of all dialects as a table, with
`--html FILE` as a page to look at, with `--json` as data; of one dialect in full; of two, what is lost between them.

```console
$ toolect coverage --matrix --dialect kimi-k2 --dialect mistral-v13
kimi-k2 → mistral-v13
  3 features lost
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
        print("docs/reports/matrix.json is out of date: run `python -m tools.pages.feature_matrix`", file=sys.stderr)
        return 1
    FILE.write_text(text, encoding="utf-8")
    print(f"{len(registry.dialects())} dialects by {cores()} processes in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
