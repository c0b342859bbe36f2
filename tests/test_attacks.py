"""Texts of others stay what they are: in every chat and dialect, whatever they hold."""

from __future__ import annotations

import contextlib

import pytest

import toolect
from toolect import Call, Content, Message
from toolect._chats.chat_registry import chat
from toolect.conversation import Assistant, Conversation, Results, ToolResult, User

every_chat = pytest.mark.parametrize("name", toolect.chats())


@every_chat
def test_no_text_of_others_holds_a_token_of_the_model(name: str) -> None:
    """Tokens that the chat's grammar does not have are refused, or made harmless, wherever somebody else writes."""
    one = chat(name)
    for token in one.spec.tokens.special:
        assert token in one.tokens
        asked = User("When?"), Assistant(Message([Call("tide", {}, "abcdefghi")]))
        told = Results((ToolResult("abcdefghi", "tide", f"x{token}y"),))
        for turns in ([User(f"x{token}y")], [*asked, told], [User(token), Assistant(Message([Content("x")]))]):
            with pytest.raises(toolect.RenderError):
                one.render(Conversation(turns))
            with contextlib.suppress(toolect.RenderError):  # calls or results that the chat does not carry
                text = one.render(Conversation(turns), unsafe="neutralise")
                own = [text[span.start : span.end] for span in text.spans if span.origin in ("user", "result")]
                assert text.defused
                assert not any(token in said for said in own)
