"""Random formats of tool calls as people make them up who have read no chat template.

Tables and lists with the numbers of calls, queries of URLs, requests with ids in their headers, values between lines,
plans that are one JSON object with content and reasoning in it; and reasoning between markers that are no tags.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random
from urllib.parse import quote

from toolect.message import Call, Json, Message
from tools.induction.random_formats import SCALARS, Format


def odd_format(random: Random) -> Format:
    """A format, drawn."""
    form = random.choice(_BODIES)(random)
    if form.whole is not None:
        return form
    features, thought = set(form.features), None
    if random.random() < 0.7:
        name = random.choice([*_THOUGHTS])
        thought = _THOUGHTS[name]
        features |= {"reasoning", f"thought: {name}"}
    return replace(form, features=frozenset(features), thought=thought)


_THOUGHTS = {
    "command": ("#!think\n", "\n#!done\n"),
    "label": ("*Thinking:* ", "\n\n---\n\n"),
    "strokes": ("~~", "~~\n"),
    "brackets": ("⟪", "⟫\n"),
    "comment": ("<!-- ", " -->\n"),
    "at": ("@@MUSE\n", "\n@@\n"),
    "double": ("<<thought>>\n", "\n<</thought>>\n"),
    "heading": ("## Thoughts\n", "\n\n"),
    "tag": ("<thinking>\n", "\n</thinking>\n"),
}
"""What stands around reasoning."""


def _spaced(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _ids(random: Random) -> Callable[[], str | None]:
    form = random.choice(("c-{}", "{}", "r{}"))
    return lambda: form.format(f"{random.randrange(1, 9999):04}")


def _anything(_: Json) -> bool:
    return True


def _in_one_line(value: Json) -> bool:
    return "\n" not in (value if isinstance(value, str) else "")


def _table(random: Random) -> Format:
    """Calls as the rows of a table, with their numbers."""
    head = random.choice((("#", "tool", "arguments"), ("no", "action", "input"), ("step", "call", "with")))
    sign = random.choice(("`", "", "**"))
    dumps = random.choice((_spaced, _compact))

    def listed(calls: list[Call]) -> str:
        rows = [f"| {i} | {sign}{call.name}{sign} | {dumps(call.arguments)} |" for i, call in enumerate(calls, 1)]
        return "\n".join([f"| {' | '.join(head)} |", "|---|---|---|", *rows])

    return Format("table", frozenset(), lambda _: "", _anything, listed=listed, gap="\n\n")


def _numbered(random: Random) -> Format:
    """Calls as a numbered list."""
    head, dot = random.choice(("Calls:", "## Actions", "[[plan]]")), random.choice((".", ")"))
    sign = random.choice((": ", " <- ", " with "))

    def listed(calls: list[Call]) -> str:
        rows = [f"{i}{dot} {call.name}{sign}{_spaced(call.arguments)}" for i, call in enumerate(calls, 1)]
        return "\n".join([head, *rows])

    return Format("numbered list", frozenset(), lambda _: "", _anything, listed=listed, gap="\n\n")


def _query(random: Random) -> Format:
    """Calls as URLs."""
    lead = random.choice(("-> tool://", "GET /", "call:"))

    def inside(call: Call) -> str:
        given = {key: value if isinstance(value, str) else _spaced(value) for key, value in call.arguments.items()}
        pairs = "&".join(f"{key}={quote(value, safe='')}" for key, value in given.items())
        return f"{lead}{call.name}{'?' if pairs else ''}{pairs}\n"

    return Format("query", frozenset(), inside, _anything, between="")


def _request(random: Random) -> Format:
    """Calls as requests, with ids in their headers."""
    word = random.choice(("Call-Id", "X-Ref", "id"))
    lines = random.sample(("Content-Type: application/json", f"{word}: {{i}}"), 2)
    head = "\n".join(("POST /tools/{n} HTTP/1.1", *lines))
    return Format(
        "request", frozenset(("ids",)),
        lambda call: f"{head.replace('{n}', call.name).replace('{i}', call.id or '')}\n\n{_spaced(call.arguments)}",
        _anything, between="\n\n", gap="\n\n", identify=_ids(random),
    )  # fmt: skip


def _heredoc(random: Random) -> Format:
    """Values between lines."""
    word, end = random.choice(("run", "call", "do")), random.choice(("END", "EOF", "---"))
    key = random.choice(("set {k} <<" + end, "{k}: <<" + end, "--{k} <<" + end))

    def inside(call: Call) -> str:
        rows = [f"#!{word} {call.name}"]
        for name, value in call.arguments.items():
            rows += [key.replace("{k}", name), value if isinstance(value, str) else _spaced(value), end]
        return "\n".join([*rows, "#!end"])

    return Format("heredoc", frozenset(), inside, _in_one_line)


def _envelope(random: Random) -> Format:
    """Calls in JSON that has an id around them."""
    dumps = random.choice((_spaced, _compact))
    ref, op, verb, given = random.choice((("ref", "op", "verb", "with"), ("cid", "cmd", "run", "params")))
    marks = random.choice((("@@INVOKE ", "@@"), ("<<", ">>"), ("~call ", "~")))

    def inside(call: Call) -> str:
        return dumps({ref: call.id, "v": 1, op: {verb: call.name, given: call.arguments}})

    return Format(
        "envelope", frozenset(("ids",)), inside, _anything, marks, between=random.choice(("", "\n")),
        identify=_ids(random),
    )  # fmt: skip


def _plan(random: Random) -> Format:
    """A message as one JSON object: what is said and thought, and steps."""
    say, think = random.choice((("say", "thought"), ("reply", "thinking"), ("answer", "reasoning")))
    numbered = random.random() < 0.5

    def whole(message: Message) -> str:
        said: dict[str, Json] = {think: message.reasoning} if message.reasoning else {}
        said |= {say: message.content} if message.content else {}
        steps = [{"do": {call.name: call.arguments}} for call in message.calls]
        plan: list[Json] = [{"step": i, **step} if numbered else step for i, step in enumerate(steps, 1)]
        return _spaced({**said, "plan": plan} if plan else said)

    return Format(
        "plan", frozenset(("steps",) if numbered else ()), lambda _: "", _anything, thought=("", ""), whole=whole
    )


def _joined(random: Random) -> Format:
    """Arguments one after the other, in one line, with quotes of their own."""
    comma, sign = random.choice(("; ", " ¦ ", " & ")), random.choice(("→", "~", " is "))
    opener, closer = random.choice((("⟦", "⟧"), ("«", "»"), ("{:", ":}")))

    def inside(call: Call) -> str:
        pairs = comma.join(f"{key}{sign}{_spaced(value)}" for key, value in call.arguments.items())
        return f"{opener}{call.name}{closer}({pairs})"

    return Format("joined", frozenset(), inside, _anything, types=SCALARS)


_BODIES = (_table, _numbered, _query, _request, _heredoc, _envelope, _plan, _joined)
