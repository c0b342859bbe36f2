"""A corpus that is hard to read: answers of every dialect, short and long, as they are written and broken, and prose.

No text is there twice. The same seed gives the same records. How fast `toolect coverage` reads it is measured here.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

from toolect import registry
from toolect._authoring.corpus import read
from toolect._authoring.generate.corruption import Corruption, corrupt
from toolect._authoring.generate.samples import mixed
from toolect._authoring.processes import collect_less
from toolect._compiled import Dialect
from toolect._corpora.survey import coverage
from toolect._message import Json
from toolect._rendered import RenderError
from tools.bench.large_files import SEED, messages
from tools.bench.workloads import prose
from tools.fuzz.damage import damaged

CASES = Path(__file__).resolve().parents[2] / "tests" / "corpus"
PROSE = (200, 2_000)
"""Characters of the shortest and the longest text without a call."""


def texts(dialect: Dialect, rng: random.Random) -> Iterator[str]:
    """Texts of one dialect without end, of each kind in turn."""
    traffic = messages(rng)
    cases = cycle([case.text for case in read(CASES / f"{dialect.name}.txt") if case.text] or [""])
    drawn = mixed(dialect, SEED)

    def written() -> str:
        try:
            return str(dialect.render(next(traffic)))
        except RenderError:
            return next(drawn).text

    def broken() -> str:
        return corrupt(written(), dialect.spec, rng, rng.choice(list(Corruption)))

    kinds: list[Callable[[], str]] = [
        written, broken, lambda: next(drawn).text, broken,
        lambda: damaged(next(cases), rng, (), 1 + rng.randrange(3)), broken,
        lambda: damaged(next(drawn).text, rng, (), 1),
        lambda: prose(20_000)[(at := rng.randrange(10_000)) : at + rng.randint(*PROSE)],
    ]  # fmt: skip
    for kind in cycle(kinds):
        yield kind()


def records(size: int) -> Iterator[dict[str, Json]]:
    """Records with so many bytes of text: `text` and its `dialect`."""
    rng = random.Random(SEED)
    sources = {name: texts(registry.dialect(name), rng) for name in registry.dialects()}
    seen: set[str] = set()
    while True:
        names = list(sources)
        rng.shuffle(names)
        for name in names:
            text = next(sources[name])
            if not text.strip() or text in seen:
                continue
            seen.add(text)
            yield {"text": text, "dialect": name}
            size -= len(text.encode("utf-8", "replace"))
            if size <= 0:
                return


def rates(megabytes: int) -> tuple[float, float]:
    """MB of text that one process reads in a second of processor time: where the dialect is named, and where not."""
    collect_less()
    made = list(records(1_000_000 * megabytes))
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for fields in (("text", "dialect"), ("text",)):
            path = Path(folder, f"{len(fields)}.jsonl")
            path.write_text("".join(json.dumps({f: one[f] for f in fields}) + "\n" for one in made), encoding="utf-8")
            began = time.process_time()
            coverage([str(path)], jobs=1)
            found.append(megabytes / (time.process_time() - began))
    return found[0], found[1]
