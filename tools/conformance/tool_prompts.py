"""Holds what dialects say of tools and of results against chat templates: do the prompts have it, byte for byte?

    python -m tools.conformance.tool_prompts [FILE]... [--dialect NAME] [--differences] [--markdown]

FILE is a chat template, as a jinja file or a tokenizer_config.json. It renders a conversation with tools, two calls and
their results, in the sandbox; the dialect is the one that reads the template's turns best, unless one is named. Markup
of turns is not compared: a text is found when it stands anywhere in the prompt. Results may stand in turns of their
own, and then each of them has to be found.

Exit code 0: nothing that the entries say is missing in the prompts. 1: something is, or a file is no template.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from toolect import registry
from toolect._compiled import Dialect
from toolect._message import Json
from toolect._rendered import RenderError
from toolect.chat_template import TemplateError, read_template
from toolect.chat_template.probes import CONTENT, FORECAST, HELLO, LIST, STYLES, TOOLS, Style, variables
from toolect.chat_template.sandbox import run
from tools.conformance.chat_templates import each, file

SYSTEM = "Answer in one sentence."
OUTPUTS = ('{"sky": "clear"}', '{"notes": 2}')
CALLS = (FORECAST, LIST)


class Found(StrEnum):
    """How a text of ours stands in a prompt."""

    BYTES = "bytes"
    SPACED = "spaced"
    """With other whitespace."""
    NO = "no"
    UNSAID = "unsaid"
    """The entry says nothing."""
    NONE = "none"
    """The prompt has none."""


class Row(NamedTuple):
    """What came of one template."""

    template: str
    dialect: str
    tools: Found
    results: Found
    missing: tuple[str, ...] = ()
    """The texts that were not found."""


def conversation(style: Style, calls: int, system: bool, again: bool) -> list[Json]:
    """A conversation in which so many tools are called; `again` when the user speaks after the results."""
    ids = [style.call_id(name, index) for index, (name, _) in enumerate(CALLS)]
    asked = [
        {
            "type": "function",
            "id": ids[index],
            "function": {"name": name, "arguments": json.dumps(given, ensure_ascii=False) if style.text else given},
        }
        for index, (name, given) in enumerate(CALLS[:calls])
    ]
    results = [
        {"role": "tool", "tool_call_id": ids[index], "name": name, "content": OUTPUTS[index]}
        for index, (name, _) in enumerate(CALLS[:calls])
    ]
    return [
        *([{"role": "system", "content": SYSTEM}] if system else []),
        {"role": "user", "content": HELLO},
        {"role": "assistant", "content": "", "tool_calls": asked},
        *results,
        *([{"role": "assistant", "content": CONTENT}, {"role": "user", "content": "Bye"}] if again else []),
    ]


CONVERSATIONS = [
    (style, calls, conversation(style, calls, system, again))
    for calls in (2, 1)
    for system in (True, False)
    for again in (True, False)
    for style in STYLES
]


def compare(path: Path, name: str | None) -> Row:
    """How the named dialect, or the best one, does on a template. Raises TemplateError."""
    template = read_template(path)
    dialect = registry.dialect(name or file(path, None).dialect)
    told = run(template, [variables(messages, prompt=True) for _, _, messages in CONVERSATIONS])
    prompts = [(*what[:2], text) for what, text in zip(CONVERSATIONS, told, strict=True) if isinstance(text, str)]
    if not prompts:
        raise next(one for one in told if isinstance(one, TemplateError))
    tools, lost = _tools(dialect, [text for _, _, text in prompts])
    results, gone = _results(dialect, prompts)
    return Row(path.name.removesuffix(".jinja"), dialect.name, tools, results, (*lost, *gone))


def _tools(dialect: Dialect, prompts: Sequence[str]) -> tuple[Found, list[str]]:
    if not dialect.telling.own:
        return Found.UNSAID, []
    if not any("save_note" in prompt for prompt in prompts):  # no call of the conversation names it
        return Found.NONE, []
    text = dialect.render_tools(TOOLS).strip()
    found = _best(_stands(text, prompt) for prompt in prompts)
    return found, [text] if found is Found.NO else []


def _results(dialect: Dialect, prompts: Sequence[tuple[Style, int, str]]) -> tuple[Found, list[str]]:
    if not dialect.telling.own:
        return Found.UNSAID, []
    told = [one for one in prompts if "sky" in one[2]]
    if not told:
        return Found.NONE, []
    most = max(calls for _, calls, _ in told)
    best, lost = Found.NO, [""]
    for style, calls, prompt in told:
        for ids in ([style.call_id(name, i) for i, (name, _) in enumerate(CALLS)], ["0", "1"]):
            outputs = [(CALLS[i][0], OUTPUTS[i], ids[i]) for i in range(calls)]
            for texts in ([outputs], [[one] for one in outputs]) if calls == most else ():
                try:
                    wanted = [dialect.render_results(some).strip() for some in texts]
                except RenderError as error:
                    wanted = [str(error)]
                found = min((_stands(text, prompt) for text in wanted), key=_WORSE.index)
                if _WORSE.index(found) > _WORSE.index(best) or not any(lost):
                    best, lost = found, wanted
    return best, lost if best is Found.NO else []


_WORSE = [Found.NO, Found.SPACED, Found.BYTES]


def _best(found: Iterator[Found]) -> Found:
    return max(found, key=_WORSE.index)


def _stands(text: str, prompt: str) -> Found:
    if text in prompt:
        return Found.BYTES
    return Found.SPACED if "".join(text.split()) in "".join(prompt.split()) else Found.NO


def report(rows: Sequence[Row], differences: bool, markdown: bool) -> Iterator[str]:
    """The table of all templates, and the sums."""
    if markdown:
        yield from ("| template | dialect | tools | results |", "| --- | --- | --- | --- |")
    for row in rows:
        cells = (row.template, row.dialect, str(row.tools), str(row.results))
        yield f"| {' | '.join(cells)} |" if markdown else "{:<52} {:<18} {:<8} {:<8}".format(*cells)
        for text in row.missing if differences else ():
            yield "\n".join(f"    {line}" for line in text.splitlines())
    for title, found in (("tools", [row.tools for row in rows]), ("results", [row.results for row in rows])):
        counts = Counter(found)
        said = ", ".join(f"{kind} {counts[kind]}" for kind in Found if counts[kind])
        yield ("\n" if markdown and title == "tools" else "") + f"{title}: {said}" + ("  " if markdown else "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the tool; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="chat templates")
    parser.add_argument("--dialect", help="the dialect to hold the files against")
    parser.add_argument("--differences", action="store_true", help="show the texts that were not found")
    parser.add_argument("--markdown", action="store_true", help="print a table for the documentation")
    options = parser.parse_args(arguments)
    rows, bad = each(options.files, lambda path: compare(path, options.dialect))
    print("\n".join(report(rows, options.differences, options.markdown)))
    return int(bad or any(row.missing for row in rows))


if __name__ == "__main__":
    sys.exit(main())
