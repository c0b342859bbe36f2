"""Assistant turns as a model's chat template writes them: probe conversations, rendered with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolect._message import Call, Content, Json, Message, Reasoning, Segment
from toolect._shown import alike
from toolect.chat_template.probes import HELLO, PROBES, STYLES, Style, TemplateProbe, answer, variables
from toolect.chat_template.sandbox import TemplateError, run

_EDGE = re.compile(r"[>\]\n:：]")


class Turn(NamedTuple):
    """An assistant turn as a template writes it.

    `prompt` is all before it, `text` is what the model would have to answer, end token and all. `message` is what was
    put in; `missing` names the parts of it that the template leaves out. `asked` is the prompt that asks for an answer,
    which may end in markup that histories lack.
    """

    probe: str
    prompt: str
    text: str
    message: Message
    missing: tuple[str, ...] = ()
    asked: str = ""
    style: Style | None = None


def turns(
    template: str, probes: Sequence[TemplateProbe] = PROBES, styles: Sequence[Style] = STYLES
) -> list[list[Turn]]:
    """The turns that the template writes for `probes`, for each style in which it writes any, without repetitions.

    Raises TemplateError when it is no template, does not end, or writes none of the probes.
    """
    user: list[Json] = [{"role": "user", "content": HELLO}]
    renders = [variables(user, prompt) for prompt in (True, False)]
    asked = [(style, probe) for style in styles for probe in probes]
    renders += [variables([*user, answer(probe, style)], prompt=False) for style, probe in asked]
    prompt, base, *texts = run(template, renders)
    if isinstance(prompt, TemplateError):
        raise prompt
    found: dict[Style, list[Turn]] = {}
    for (style, probe), text in zip(asked, texts, strict=True):
        if isinstance(text, str):
            found.setdefault(style, []).append(_turn(probe, style, prompt, base if isinstance(base, str) else "", text))
    wrong = [text for text in texts if isinstance(text, TemplateError)]
    if not found:
        raise wrong[0]
    written = [[turn for turn in turns if turn.text.strip()] for turns in found.values()]
    unique = {tuple(turn.text for turn in turns): turns for turns in written if any(t.message.calls for t in turns)}
    if not unique:
        raise TemplateError("expected a chat template that writes tool calls, got one that leaves them out")
    return list(unique.values())


def _turn(probe: TemplateProbe, style: Style, prompt: str, base: str, whole: str) -> Turn:
    at = _start(prompt, base, whole)
    text = whole[at:]
    segments: list[Segment] = []
    missing = []
    if probe.reasoning and probe.reasoning in text:
        segments.append(Reasoning(probe.reasoning))
    elif probe.reasoning:
        missing.append("reasoning")
    if probe.content and probe.content in text:
        segments.append(Content(probe.content))
    elif probe.content:
        missing.append("content")
    for index, (name, given) in enumerate(probe.calls):
        if text.count(name) > [called for called, _ in probe.calls[:index]].count(name):
            segments.append(Call(name, given, style.call_id(name, index)))
        else:
            missing.append(f"call {index + 1}")
    return Turn(probe.title, prompt[:at], text, Message(segments), tuple(missing), prompt, style)


def _start(prompt: str, base: str, whole: str) -> int:
    """Start offset of the answer: after the prompt's text behind the user's words, or where the history stops to look
    like the prompt, at the edge of a marker.

    Some prompts end in markup that histories lack, such as an opened reasoning; some have other words before the
    user's, or other whitespace behind them.
    """
    if whole.startswith(prompt):
        return len(prompt)
    for tail in (HELLO + prompt.rpartition(HELLO)[2], prompt[len(base) :] if prompt.startswith(base) else ""):
        at = _after(tail, whole, max(whole.find(HELLO), 0))
        if at >= 0:
            return at + alike(tail[len(tail.rstrip()) :], whole[at:])
    at, asked = alike(prompt, whole), whole.find(HELLO) + len(HELLO)
    while at > asked and not _EDGE.match(whole, at - 1):
        at -= 1
    return at


def _after(tail: str, whole: str, pos: int) -> int:
    """End offset of the next `tail` from `pos` on, whatever its whitespace; -1 without one."""
    indices = [i for i in range(pos, len(whole)) if not whole[i].isspace()]
    solid = "".join(tail.split())
    found = "".join(whole[i] for i in indices).find(solid) if solid else -1
    return indices[found + len(solid) - 1] + 1 if found >= 0 else -1


def cut(turn: Turn, ends: tuple[str, ...]) -> str:
    """A turn up to the first end token after all that was put in: there a model stops, and templates may write more."""
    text = turn.text
    words = [one.name if isinstance(one, Call) else one.text for one in turn.message.segments]
    done = max((text.rfind(word) for word in words), default=0)
    at = min((found + len(end) for end in ends if (found := text.find(end, max(done, 0))) >= 0), default=len(text))
    return text[:at]


def bodies(text: str, ends: tuple[str, ...]) -> Iterator[str]:
    """A turn, and the same without its end token."""
    yield text
    yield from (text.removesuffix(end) for end in ends if text.endswith(end))
