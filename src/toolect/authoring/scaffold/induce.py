"""Induces a dialect from samples: every way to see their calls becomes a draft, with what it has to read in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolect._values.toolset import NO_TOOLS, ToolSchemas
from toolect.authoring.scaffold.assemble import assemble
from toolect.authoring.scaffold.by_looks import drafts_by_looks
from toolect.authoring.scaffold.dialect_draft import Draft, Expected, Prepared, Stripped
from toolect.authoring.scaffold.keyed_calls import keyed_calls
from toolect.authoring.scaffold.odd_thoughts import odd_thoughts
from toolect.authoring.scaffold.pieces import parted
from toolect.authoring.scaffold.structured_calls import named_json_calls, structured_calls
from toolect.authoring.scaffold.thoughts import Thought, speaking, stem, thoughts

MAX_ENDS = 3
"""Tokens after an answer."""
_END = re.compile(r"(?:</s>|<[|｜][^<>\n]{1,60}[|｜]>|<[a-z]{2,4}>|<end_of_turn>|\[/?[A-Z]{1,8}\])\Z")


class Induced(NamedTuple):
    """A draft, and what it has to read in each sample; None where that is not known."""

    draft: Draft
    expected: Sequence[Expected | None] | None = None

    def among(self, at: int, count: int) -> Induced:
        """The draft of one sample alone, which is that at index `at` of `count`."""
        known = self.expected[0] if self.expected is not None else None
        return self._replace(expected=[known if i == at else None for i in range(count)])


def stripped(samples: Sequence[str], tools: ToolSchemas = NO_TOOLS) -> Prepared:
    """The samples without their end tokens, with how reasoning is written in them."""
    ends = _ends(samples)
    found, thought = _thoughtful([_without(sample, ends) for sample in samples], tools)
    return Prepared(found, thought, ends)


def drafts(prepared: Prepared, tools: ToolSchemas) -> Iterator[Induced]:
    """The dialects that samples may show, the likeliest first; none when no call is found in any of them."""
    hidden = [one.hidden for one in prepared.samples]
    for look in (structured_calls, named_json_calls, keyed_calls):
        for seen in look(hidden, tools):
            for found, expected in assemble(prepared.samples, seen):
                draft = _around(found, prepared)
                yield Induced(draft._replace(before_call=prepared.gap or draft.before_call), expected)


def looks(prepared: Prepared) -> Iterator[Induced]:
    """The drafts of what markers and calls usually look like."""
    for draft in drafts_by_looks(prepared.samples):
        yield Induced(_around(draft, prepared))


def _around(draft: Draft, prepared: Prepared) -> Draft:
    """The draft with what is known of reasoning, content and ends."""
    thought, wrap = prepared.thought or draft.thought, prepared.wrap or draft.wrap
    if thought is not None and draft.divided_thought:  # whitespace before the divider is its own
        thought = thought._replace(closer=thought.closer.removesuffix(parted(draft.following)[0]))
    if prepared.following:
        draft = _divided(draft, prepared.following)._replace(
            following=prepared.following, divided_thought=prepared.divided_thought
        )
    return draft._replace(thought=thought, end=prepared.ends, wrap=wrap)


def _divided(draft: Draft, following: str) -> Draft:
    """The draft without what divides its calls, if that divides all parts: whitespace around it is the calls'."""
    divider = "".join(map(str, draft.divider))
    behind, same, before = divider.partition(following)
    if draft.opener or draft.closer or not same or behind.strip() or before.strip():
        return draft
    return draft._replace(call=tuple(part for part in (before, *draft.call, behind) if part), divider=())


def _ends(samples: Sequence[str]) -> tuple[str, ...]:
    """The tokens that answers end with."""
    ends: dict[str, None] = {}
    for sample in samples:
        text = sample
        for _ in range(MAX_ENDS):
            match = _END.search(text.rstrip()[-64:])
            if match is None or not _closes_nothing(text, match[0]) or not _everywhere(samples, match[0]):
                break
            ends[match[0]] = None
            text = text.rstrip().removesuffix(match[0])
    return tuple(ends)


def _everywhere(samples: Sequence[str], token: str) -> bool:
    """True when a token comes at the ends of samples only, and where there are several not after calls only."""
    return all(token not in sample.rstrip().removesuffix(token) for sample in samples)


def _without(text: str, ends: Sequence[str]) -> str:
    for _ in ends:
        for end in ends:
            if text.rstrip().endswith(end):
                text = text.rstrip().removesuffix(end)
    return text


def _closes_nothing(text: str, token: str) -> bool:
    """True when the token at the end of a sample comes once, and closes nothing that was opened in it."""
    others = re.findall(r"<[|｜]?[^<>\n]{1,60}[|｜]?>|\[/?\w+\]", text)
    opened = any(other != token and stem(other) == stem(token) for other in others)
    return text.count(token) == 1 and not (stem(token) and opened)


def _thoughtful(texts: Sequence[str], tools: ToolSchemas) -> tuple[list[Stripped], Thought | None]:
    """The samples with their reasoning, and how that is written."""
    thought: Thought | None = None
    stripped = []
    spoken = speaking(texts)
    for text in texts:
        hidden, form = thoughts(text, list(tools), spoken)
        if form is not None:
            thought = Thought(*(thought or form)[:2], prompted=form.prompted or bool(thought and thought.prompted))
        stripped.append(Stripped(text, tuple(hidden)))
    if thought is None:
        marks, thought = odd_thoughts(texts, list(tools))
        stripped = [Stripped(one.text, (marks[i],)) if i in marks else one for i, one in enumerate(stripped)]
    return stripped, thought
