"""What is read: the texts that are timed, in chunks, and the probes that are harder than those."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from toolect._compiled import Dialect
from toolect._message import Call, Content, Message
from tools.bench.workloads import SENTENCES, TOOLS, markers, wire

CHUNK = 4


def tags(dialect: Dialect) -> list[str]:
    """The tags that the dialect's markers are made of, longest first: what a model's special tokens stand for."""
    found = {tag for marker in markers(dialect.spec) for tag in re.findall(r"<[^<>]*>?|\[\w+\]", marker)}
    return sorted(found, key=lambda tag: (-len(tag), tag))


def pieces(text: str, whole: Sequence[str]) -> list[str]:
    """A text in chunks of four characters, but for these tags, which come whole."""
    parts = re.split(f"({'|'.join(map(re.escape, whole))})", text) if whole else [text]
    return [
        chunk
        for index, part in enumerate(parts)
        for chunk in ([part] if index % 2 else [part[at : at + CHUNK] for at in range(0, len(part), CHUNK)])
        if chunk
    ]


def probes(dialect: Dialect) -> Iterator[tuple[str, Message]]:
    """Texts that are harder than the ones timed, each with what it says."""
    quoted = " ".join(markers(dialect.spec)[:3])
    calls = {
        "no arguments": [Call("list_files", {})],
        "quotes and escapes": [
            Call("write_file", {"path": 'a"b\\c.txt', "content": "tab\there\nline \\n two\n'x' <b>&amp;</b>"})
        ],
        "not ASCII": [Call("get_weather", {"city": "東京 🗼", "days": -1})],
        "a bracket too many": [Call("write_file", {"path": "x", "content": "}}]]))"})],
        "its own markers": [Call("write_file", {"path": "x", "content": quoted})],
        "two tools": [Call("get_weather", {"city": "Paris"}), Call("list_files", {})],
        "an empty string": [Call("write_file", {"path": "x", "content": ""})],
    }
    for segments in calls.values():
        for said in (Message([Content(SENTENCES), *segments]), Message(segments)):
            try:
                text = str(dialect.render(said, tools=TOOLS))
            except ValueError:
                continue
            yield text, said
            break
    if made := wire(dialect, "short"):  # cut off in the middle of its arguments: there is no call to run
        yield made.text[: made.text.rindex("rains")], Message([] if made.alone else [Content(SENTENCES)])
