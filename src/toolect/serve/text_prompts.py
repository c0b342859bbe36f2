"""Prompts of text: a conversation as the model's chat writes it, and the beginning of a call that has to be made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from toolect._compiled import Dialect
from toolect._exchange.media import refuse_media
from toolect._message import Call, Json, MessageError
from toolect._rendered import Part, RenderError
from toolect._transcript import Origin, Transcript
from toolect.agent.models import MAX_TOKENS, TAIL, joined_stops
from toolect.serve.api_errors import refusing
from toolect.serve.api_requests import CONTINUE, NONE, ModelRequest
from toolect.serve.model_lookup import ModelForm

_CHAT_ONLY = frozenset(
    ("max_completion_tokens", "chat_template_kwargs", "reasoning_effort", "logprobs", "top_logprobs", "store",
     "metadata", "modalities", "functions", "function_call", CONTINUE, "add_generation_prompt")
)  # fmt: skip


@dataclass(frozen=True)
class TextPrompt:
    """A prompt, of which `opening` is the beginning of the answer: a call that the client has asked for."""

    text: str
    opening: str = ""

    @property
    def tail(self) -> str:
        """The end of the prompt before the answer, which may have opened the reasoning."""
        return self.text[-TAIL - len(self.opening) : len(self.text) - len(self.opening)]

    def body(self, request: ModelRequest, form: ModelForm) -> dict[str, Json]:
        """The request for a completion."""
        options = request.options
        limit = options.get("max_completion_tokens") or options.get("max_tokens") or MAX_TOKENS
        stops = joined_stops(options.get("stop"), form.chat.stops if form.chat else ())
        said = {key: value for key, value in options.items() if key not in _CHAT_ONLY}
        said |= {"prompt": self.text, "max_tokens": limit}
        if stops:
            said["stop"] = stops
        if options.get("logprobs"):
            said["logprobs"] = options.get("top_logprobs") or 1
        return request.upstream_body(said)


def write_prompt(request: ModelRequest, form: ModelForm) -> TextPrompt:
    """The prompt of a request. Raises RequestError for what the chat cannot carry."""
    assert form.chat is not None
    tools = [] if request.choice == NONE else request.tools
    with refusing():
        if request.options.get("functions"):
            raise MessageError("tools as `tools`", "the `functions` of an earlier API", "functions")
        conversation = replace(request.conversation.unread_as_text(), tools=tools)
        refuse_media(conversation.turns, "a prompt of text")
        written = form.chat.prompt(conversation, thinking=request.thinking, unsafe="neutralise")
        text = _up_to(request.prefill, written, form.chat.ends) if request.prefill else str(written)
        opening = _opening(form.dialect, request) if request.must_call else ""
        if opening and _is_reasoning(form.dialect, opening, text):
            text = str(form.chat.prompt(conversation, thinking=False, unsafe="neutralise"))
            opening = "" if _is_reasoning(form.dialect, opening, text) else opening
    return TextPrompt(text + opening, opening)


def _up_to(words: str, text: Transcript, ends: tuple[str, ...]) -> str:
    """The text up to these words in its last answer. Raises RenderError where that has others."""
    for at in range(len(text.pieces) - 1, -1, -1):
        piece, origin = text.pieces[at][:2]
        if origin is Origin.ANSWER and piece not in ends and words in piece:
            whole = "".join(one[0] for one in text.pieces[: at + 1])
            return whole[: whole.rindex(words) + len(words)]
        if origin in (Origin.USER, Origin.RESULT):  # what comes before it is of earlier answers
            break
    raise RenderError("the last message", "the chat cannot go on from it", words)


def _opening(dialect: Dialect | None, request: ModelRequest) -> str:
    """The beginning of a call: up to its name, or with that of the tool that has to be called; empty for none."""
    if dialect is None:
        return ""
    try:
        written = dialect.render(Call(request.named or "name", {"key": "value"}))
    except RenderError:
        return ""
    names = [span for span in written.spans if span.part is Part.NAME]
    names = names or [span for span in written.spans if span.part is Part.ID]
    if not names or any(span.part in (Part.KEY, Part.VALUE, Part.ARGUMENTS) and span.end <= names[0].start
                        for span in written.spans):  # fmt: skip
        return ""
    if request.named:
        return written[: names[0].end]
    return written[: next(span.start for span in written.spans if span.part in (Part.NAME, Part.ID))]


def _is_reasoning(dialect: Dialect | None, opening: str, text: str) -> bool:
    """True where the beginning of an answer is read as a thought behind this prompt."""
    return dialect is not None and bool(dialect.parse(opening, prefix=text[-TAIL:]).reasoning)


def chat_logprobs(given: Any) -> dict[str, Json] | None:
    """The log probabilities of a text completion as a chat completion has them."""
    if not isinstance(given, Mapping) or not isinstance(given.get("tokens"), list):
        return given if isinstance(given, dict) else None
    tokens, values = given["tokens"], given.get("token_logprobs") or []
    tops = given.get("top_logprobs") or []
    content = []
    for number, token in enumerate(map(str, tokens)):
        top = tops[number] if number < len(tops) and isinstance(tops[number], Mapping) else {}
        best = [_logprob(str(one), value) for one, value in top.items()]
        content.append(_logprob(token, values[number] if number < len(values) else None) | {"top_logprobs": best})
    return {"content": content, "refusal": None}


def _logprob(token: str, value: Any) -> dict[str, Json]:
    return {"token": token, "logprob": value, "bytes": [*token.encode("utf-8", "surrogatepass")]}
