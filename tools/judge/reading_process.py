"""Reads for the judge with the toolect that `PYTHONPATH` names: a request a line, an answer a line, as JSON.

Nothing but public names of toolect is used, so that any commit can be judged.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

import toolect
from tools.fuzz.work import CALLS, measured, streamed
from tools.peers.worker import answers


def _data(said: Any) -> Any:
    """A message or call as `to_dict` makes it, where a commit has that."""
    return said.to_dict() if hasattr(said, "to_dict") else msgspec.to_builtins(said)


def _event(event: Any) -> Any:
    return type(event).__name__, {
        field: _data(value) if isinstance(value := getattr(event, field), toolect.Call) else value
        for field in event.__struct_fields__
    }


_streams: list[Any] = [None]


def _reader(name: str) -> Any:
    """Reader of texts of a dialect, here and in earlier checkouts."""
    return toolect.auto if name == "auto" and "auto" in toolect.__all__ else toolect.dialect(name)


def answer(request: Any) -> Any:
    """The answer to a request; one stream is open at a time."""
    match request:
        case ["file"]:
            return toolect.__file__
        case "parse", name, text, options:
            return _data(_reader(name).parse(text, **options))
        case "stream", name, options:
            _streams[0] = _reader(name).stream(**options)
        case "feed", chunk:
            return list(map(_event, _streams[0].feed(chunk)))
        case ("close",):
            return list(map(_event, _streams[0].close())), _data(_streams[0].message)
        case "work", name, texts, options, size:
            dialect = _reader(name)
            read = streamed(partial(dialect.stream, **options), size) if size else partial(dialect.parse, **options)
            return measured(read, dict(zip(CALLS.sizes, texts, strict=True)).__getitem__, CALLS)


if __name__ == "__main__":
    answers(lambda asked: {"is": answer(asked["request"])})
