"""Checkpoint of a conversion, for going on after an interruption: one small file, and the keys of written rows."""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path
from typing import BinaryIO

import msgspec

from toolect._corpora.any_json import decoded, encoded
from toolect._data.converting import SIZE
from toolect._errors import ToolectError
from toolect._message import Json

NAME, KEYS = "unfinished.json", "unfinished.keys"
_KEY = struct.Struct(f"<{SIZE}sII")


class CheckpointError(ToolectError, ValueError):
    """A folder that cannot be written to, or gone on with."""


class Checkpoint(msgspec.Struct):
    """Progress of a job: the number of units done, and the file and the line of it after which the next one begins.

    `rows` and `left` are positions in the files that are written, `keys` is the number of keys noted.
    """

    units: int = 0
    path: str = ""
    lines: int = 0
    rows: Json = (0, 0)
    left: Json = (0, 0)
    keys: int = 0
    written: int = 0
    fates: dict[str, int] = {}
    tallies: Json = None


class CheckpointStore:
    """Checkpoints in a folder; `work` is all that must be the same for going on."""

    def __init__(self, folder: Path, work: bytes) -> None:
        self.folder = folder
        self.noted = 0
        self._mark = hashlib.blake2b(work, digest_size=16).hexdigest()
        self._keys: BinaryIO | None = None

    def load(self) -> Checkpoint:
        """The checkpoint of the folder; an empty one for a new job. Raises CheckpointError for another folder."""
        path = self.folder / NAME
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                if any(self.folder.iterdir()):
                    raise CheckpointError(
                        f"expected an empty folder, got one with files in it at `{self.folder}`: name another"
                    )
                self.store(Checkpoint())
                return Checkpoint()
            mark, place = msgspec.convert(decoded(path.read_bytes()), tuple[str, Checkpoint])
        except (OSError, ValueError) as error:
            if isinstance(error, CheckpointError):
                raise
            why = getattr(error, "strerror", None) or error
            raise CheckpointError(
                f"expected a folder to write to, got `{why}` at `{self.folder}`: name another"
            ) from None
        if mark != self._mark:
            raise CheckpointError(
                f"expected the same files and options as before in `{self.folder}`, which is unfinished, got others:"
                " name another folder, or remove that one"
            )
        return place

    def store(self, place: Checkpoint) -> None:
        """Note a place: all of it, or nothing."""
        if self._keys is not None:
            self._keys.flush()
        beside = self.folder / f"{NAME}~"
        beside.write_bytes(encoded((self._mark, place)))
        os.replace(beside, self.folder / NAME)

    def note(self, key: bytes, place: tuple[int, int]) -> None:
        """Note the key of a row that is written, with the number of its file and its line."""
        if self._keys is None:
            self._keys = open(self.folder / KEYS, "ab")  # noqa: SIM115  # it stays open
        self._keys.write(_KEY.pack(key, *place))
        self.noted += 1

    def keys(self, count: int) -> dict[bytes, tuple[int, int]]:
        """The first of the keys that were noted; those after them are forgotten."""
        path = self.folder / KEYS
        if not count:
            path.unlink(missing_ok=True)
            return {}
        with open(path, "r+b") as file:
            file.truncate(count * _KEY.size)
            data = file.read()
        self.noted = count
        return {key: (number, line) for key, number, line in _KEY.iter_unpack(data)}

    def close(self) -> None:
        """Close the file of keys."""
        if self._keys is not None:
            self._keys.close()
            self._keys = None

    def done(self) -> None:
        """Remove the checkpoint of a finished job."""
        for name in (KEYS, NAME):
            (self.folder / name).unlink(missing_ok=True)
