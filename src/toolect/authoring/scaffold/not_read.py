"""Why a sample is not read by a new dialect: where it stops, or what it reads there that it should not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolect._shown import cut, one_line
from toolect._values.toolset import tool_schemas
from toolect.authoring.derivation import derive
from toolect.authoring.derivation.explain import explain
from toolect.authoring.scaffold.pasted import Sample, run_together
from toolect.compiled import Dialect
from toolect.message import Json

MAX_GOT = 24
"""Characters that are shown of what came at a place."""
MAX_SHOWN = 60
"""Characters of a content that are shown."""


def why_unread(dialect: Dialect, sample: Sample, left: Iterable[str], tools: Sequence[Json] | None) -> str:
    """Why a sample is not read, with the place where that shows, if there is one."""
    return next(_reasons(dialect, sample, left, tools))


def _reasons(dialect: Dialect, sample: Sample, left: Iterable[str], tools: Sequence[Json] | None) -> Iterator[str]:
    text = sample.text
    found = derive(dialect, text, tools, prefix=sample.prefix)
    for failure in found.failures:
        said, _, _ = str(failure).rpartition(" - at ")
        yield f"{one_line(said)} {place(text, failure.at)}"
    for repair in found.repairs:
        got = cut(one_line(text[repair.at :]), MAX_GOT)
        yield f"{one_line(explain(repair))}: `{got}` {place(text, repair.at)}"
    calls = found.message.calls
    for call in calls:
        if tools and call.name not in tool_schemas(tools):
            got, at = one_line(call.name), (call.span or (0,))[0]
            yield f"expected the name of a declared tool, got `{got}` {place(text, at)}"
    if strings := run_together(sample, found.message):
        yield f"the strings `{one_line(strings)}` may be a list, and would be one {place(text, text.find(strings))}"
    content = found.message.content
    for part in left:
        if part in content:
            yield f"`{one_line(part)}` is left in the content {place(text, text.find(part))}"
    if content.strip():
        yield f"the content is `{cut(one_line(content.strip()), MAX_SHOWN)}`, with markup or a call in it"
    yield f"the calls are {', '.join(one_line(call.name) for call in calls) or 'none'}, and others were seen"


def place(text: str, at: int) -> str:
    """A place of a text, in words."""
    at = min(max(at, 0), len(text))
    return f"in line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"
