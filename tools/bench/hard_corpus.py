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
from toolect._compiled import Dialect
from toolect._corpora.survey import coverage
from toolect._message import Call, Content, Json, Message, Reasoning, Segment
from toolect._processes import collect_less
from toolect._rendered import RenderError
from tools.bench.workloads import SENTENCES, prose
from tools.fuzz.damage import damaged

CASES = Path(__file__).resolve().parents[2] / "tests" / "corpus"
SEED = 20240611
PROSE = (200, 2_000)
"""Characters of the shortest and the longest text without a call."""


def messages(rng: random.Random) -> Iterator[Message]:
    """Messages as agents write them."""
    words = SENTENCES.split()
    values: list[Json] = [True, False, None, 3, -1.5, "Zürich", ["a", "b"], {"min": 1, "max": [2, 3]}, 'say "hi"\n']
    while True:
        segments: list[Segment] = []
        if rng.random() < 0.3:
            segments.append(Reasoning(" ".join(rng.choices(words, k=rng.randint(20, 200)))))
        segments.append(Content(" ".join(rng.choices(words, k=rng.randint(5, 120)))))
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 3))):
            name = rng.choice(("search", "get_weather", "read_file", "run"))
            keys = rng.sample(("query", "city", "path", "days", "limit", "strict", "options"), rng.randint(0, 5))
            arguments: dict[str, Json] = {key: rng.choice(values) for key in keys}
            arguments["text"] = " ".join(rng.choices(words, k=rng.randint(1, 60)))
            segments.append(Call(name, arguments))
        yield Message(segments)


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
