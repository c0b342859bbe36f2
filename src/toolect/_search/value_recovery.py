"""Error recovery in a JSON value: a search over a grammar of JSON alone, for what stands in a raw slot."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from toolect._diagnostic import Place
from toolect._graph.graph import Graph
from toolect._graph.network import Network
from toolect._message import Call, Message
from toolect._salvage import MAX_TEXT, unfenced
from toolect._spec.grammar_model import Literal, Ref, Seq, Slot, SlotKind
from toolect._spec.model import Role, Rule, Spec
from toolect._spec.policies import Policies
from toolect._spec.shape_model import Hole, HoleKind, Member, Obj

_OPENS: Final = '<json-value>{"name": "value", "arguments": {"values": ['
_CLOSES: Final = "]}}</json-value>"
_SHAPE: Final = Obj((Member(("name",), Hole(HoleKind.NAME)), Member(("arguments",), Hole(HoleKind.ARGUMENTS))))


@cache
def graph() -> Graph:
    """The graph of a call that holds a value as its only argument."""
    place = Place("", 1, 1)
    call = Seq((Literal("<json-value>"), Slot(SlotKind.JSON), Literal("</json-value>")))
    rules = {"start": Rule("start", Ref("call"), place), "call": Rule("call", call, place)}
    spec = Spec("json-value", rules, {"call": Role.CALL}, {"call/JSON": _SHAPE})
    return Graph(Network(spec), Policies())


def enclosed(text: str) -> str:
    """The answer of that grammar whose value is a text; empty for a text that is no object or list, or too long."""
    text = unfenced(text)
    return f"{_OPENS}{text}{_CLOSES}" if len(text) <= MAX_TEXT and text[:1] in ("{", "[") else ""


def value_of(message: Message) -> Any:
    """The object or list that such an answer holds, and nothing else; None for none."""
    match message.segments:
        case (Call(arguments={"values": [dict() | list() as value], **others}) as call,) if (
            call.runnable and not others
        ):
            return value
    return None
