"""Readers of another checkout: each reads in a process of that checkout, and gives messages and events of this one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from toolect import _events as event_types
from toolect import registry
from toolect._events import Event
from toolect._message import Call, Json, Message
from toolect._spec.model import Spec
from tools.peers.environments import Worker


class Checkout:
    """The readers of a checkout, by the names of dialects, and the process that they read in."""

    def __init__(self, folder: Path) -> None:
        self._worker = Worker(sys.executable, folder, "tools.judge.reading_process")
        read = Path(self.ask("file"))
        if folder.resolve() not in read.resolve().parents:
            raise ValueError(f"expected toolect of {folder}, got {read}")

    def reader(self, name: str) -> RemoteReader:
        """The reader of a dialect."""
        return RemoteReader(self, name)

    def ask(self, *request: object) -> Any:
        """The answer to a request. Raises RuntimeError for what is raised there."""
        answer = self._worker.ask(request=request)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["is"]

    def close(self) -> None:
        """Ends the process."""
        self._worker.close()


class RemoteReader:
    """A dialect as a checkout reads it; `spec` is that of this one."""

    def __init__(self, checkout: Checkout, name: str) -> None:
        self._checkout, self.name = checkout, name

    @property
    def spec(self) -> Spec:
        """The spec of the dialect."""
        return registry.spec(self.name)

    def parse(self, text: str, **options: Any) -> Message:
        """The message of a whole text."""
        return Message.from_dict(self._checkout.ask("parse", self.name, text, options))

    def stream(self, **options: Any) -> RemoteStream:
        """A stream, which ends the one before."""
        self._checkout.ask("stream", self.name, options)
        return RemoteStream(self._checkout)

    def work(self, texts: list[str], size: int, **options: Any) -> list[float]:
        """The work for texts of growing sizes."""
        found: list[float] = self._checkout.ask("work", self.name, texts, options, size)
        return found


class RemoteStream:
    """A stream in the process of a checkout."""

    def __init__(self, checkout: Checkout) -> None:
        self._checkout, self.message = checkout, Message()

    def feed(self, chunk: str) -> list[Event]:
        """The events of a chunk."""
        return list(map(_event, self._checkout.ask("feed", chunk)))

    def close(self) -> list[Event]:
        """The last events; `message` is there then."""
        events, data = self._checkout.ask("close")
        self.message = Message.from_dict(data)
        return list(map(_event, events))


def _event(data: Json) -> Event:
    kind, fields = data
    if "call" in fields:
        fields["call"] = Call.from_dict(fields["call"])
    event: Event = getattr(event_types, kind)(**fields)
    return event
