"""Roll-out: an episode of a model and its tools as ids that only grow: prompt, sampled answers, what is between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date as Date  # noqa: N812
from typing import Any

from toolect._chats.continuing import Rewritten, Written, check_chat
from toolect._rendered import RenderError
from toolect._shown import counted
from toolect._tokens.adapting import adapted
from toolect._tokens.encoding import encode
from toolect._tokens.tokenizer_protocol import TokenIdError
from toolect._transcript import Origin
from toolect._turns import Assistant, Results, ToolResult, Turn
from toolect.conversation import Conversation


class Rollout:
    """One episode. `ids`, `mask` and `logprobs` are of all ids so far; the mask is 1 for what the model sampled.

    `conversation` ends where an answer is to come; `thinking` and `date` are those of `Chat.render`. Raises RenderError
    for what the chat cannot carry.
    """

    def __init__(
        self,
        chat: Written,
        tokenizer: object,
        conversation: Conversation,
        *,
        thinking: bool | None = None,
        date: Date | str | None = None,
    ) -> None:
        check_chat(chat)
        self.chat, self.conversation = chat, conversation
        self._tokenizer = adapted(tokenizer)
        self._thinking, self._date = thinking, date
        prompt = chat.render(conversation, True, thinking=thinking, date=date)
        self.ids: list[int] = encode(prompt, self._tokenizer).ids
        self.mask: list[int] = [0] * len(self.ids)
        self.logprobs: list[float] = [0.0] * len(self.ids)
        self._first = len(self.ids)
        self._end = ""
        """The end token that the last answer was sampled with; empty where it was cut off."""

    @property
    def prompt_ids(self) -> list[int]:
        """The ids that the next answer is sampled after: all so far."""
        return [*self.ids]

    @property
    def cut_off(self) -> bool:
        """True where the last answer came without a token that ends it."""
        return not self._end

    def answer(self, ids: Sequence[int], logprobs: Sequence[float] | None = None) -> Assistant:
        """Add the answer of these ids, the one that ended it included, and return its turn; the ids stay as sampled.

        Raises ValueError for a second answer or another number of `logprobs`, TokenIdError for ids the tokenizer lacks.
        """
        if isinstance(self.conversation.turns[-1], Assistant):
            raise ValueError("expected results or a turn of the user after an answer, got another answer")
        if logprobs is not None and len(logprobs) != len(ids):
            raise ValueError(f"expected a log-probability for each of {len(ids)} ids, got {len(logprobs)}")
        for number in ids:
            if not hasattr(number, "__index__"):
                raise TokenIdError(number, self._tokenizer.size)
        said = b"".join(map(self._tokenizer.piece, ids)).decode("utf-8", "replace")
        turn = self.chat.answer(said, self.conversation, thinking=self._thinking, date=self._date)
        self._end = self.chat.sampled_end(said)
        self._extend(ids, 1, logprobs)
        self.conversation = Conversation([*self.conversation.turns, turn], self.conversation.tools)
        return turn

    def results(self, results: Iterable[ToolResult | str]) -> None:
        """Add the results of the calls of the last answer, in their order; a text is the output of the next call.

        Raises ValueError for more results than there are calls, TypeError for one text alone, RenderError as `append`
        does.
        """
        if isinstance(results, str):
            raise TypeError("expected a list of results, got str: put it into a list")
        last = self.conversation.turns[-1]
        calls = last.message.calls if isinstance(last, Assistant) else []
        given = [
            ToolResult(calls[at].id or "", calls[at].name, one) if isinstance(one, str) and at < len(calls) else one
            for at, one in enumerate(results)
        ]
        if len(given) > len(calls) or not all(isinstance(one, ToolResult) for one in given):
            raise ValueError(f"expected results of {counted(len(calls), 'call')}, got {len(given)}")
        self.append([Results(tuple(one for one in given if isinstance(one, ToolResult)))])

    def append(self, turns: Sequence[Turn]) -> None:
        """Add turns that follow the last answer, and the generation prompt of the next one.

        Raises RenderError where the chat writes otherwise what came before: another roll-out begins there.
        """
        options: dict[str, Any] = {"thinking": self._thinking, "date": self._date}
        text = self.chat.continuation(self.conversation, turns, **options)
        number = len(self.conversation.turns)
        if isinstance(text, Rewritten):
            shown = f"{text.now!r} where {text.was!r} was"
            raise RenderError(f"turn {number}", f"{text.reason}, {shown}: begin another roll-out")
        ended = "".join(piece for piece, origin, turn in text.pieces if (origin, turn) == (Origin.ANSWER, number - 1))
        at = 0 if text.startswith(self._end) else ended.find(self._end)
        if at < 0 or not text.startswith(ended):
            reason = f"`{self.chat.name}` ends the answer before otherwise than it was sampled, with {self._end!r}"
            raise RenderError(f"turn {number}", f"{reason}: begin another roll-out", text[:40])
        rest = text.after(at + len(self._end))
        self._extend(encode(rest, self._tokenizer).ids, 0, None)
        self.conversation = Conversation([*self.conversation.turns, *turns], self.conversation.tools)

    def columns(self) -> dict[str, list[int] | list[float]]:
        """Columns for TRL's GRPO: the first prompt, all that came after it, log-probabilities, a mask of sampled ids.

        A loss is of ids whose `env_mask` is 1; what ends an answer that was cut off is not one of them.
        """
        first = self._first
        return {
            "prompt_ids": self.ids[:first],
            "completion_ids": self.ids[first:],
            "logprobs": self.logprobs[first:],
            "env_mask": self.mask[first:],
        }

    def _extend(self, ids: Sequence[int], sampled: int, logprobs: Sequence[float] | None) -> None:
        self.ids += ids
        self.mask += [sampled] * len(ids)
        self.logprobs += logprobs if logprobs is not None else [0.0] * len(ids)
