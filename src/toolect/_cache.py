"""Loaded specs on disk, as JSON, so that a process does not compile grammars that another one has compiled.

A file is found by the hash of everything it was made from, so it is never out of date. It begins with a seal: the hash
of its name, its key and all that follows. A file that cannot be read, is damaged or stands in the place of another one
is made anew, and a folder that cannot be written to does no harm. Whoever writes a file could write a spec, so a folder
or file of somebody else, or that others may write to, is not used.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from toolect import _files as files
from toolect._version import __version__

T = TypeVar("T")

MAX_FILE = 1 << 26
"""Bytes of a stored value. Beyond it: it is not kept."""
MAX_FILES = 4096
"""Files of the folder. Beyond it: the older half goes."""
_BLANK = rb"(?:[ \t\f]|\\[ ]*\r?\n)*"
_IMPORT = re.compile(rb"%%import%b[.]%b(\w+(?:%b[.]%b\w+)*)" % ((_BLANK,) * 4))
"""Finds what a grammar imports, and perhaps more, in all spellings that Lark reads."""


def folder() -> Path:
    """Folder of the cache: `$TOOLECT_CACHE_DIR`, or `toolect` in the user's cache folder."""
    if own := os.environ.get("TOOLECT_CACHE_DIR"):
        return Path(own)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "toolect"
    return Path("~").expanduser() / ".cache" / "toolect"


def key(parts: Iterable[bytes]) -> str:
    """The hash of this version of the loader and of all it reads."""
    return _hash([_loader(), *parts])


def _hash(parts: Iterable[bytes]) -> str:
    """The hash of some parts, each distinct from the next."""
    try:
        from _blake2 import blake2b  # what hashlib gives out too, without loading OpenSSL first: half of a warm start
    except ImportError:
        from hashlib import blake2b

    digest = blake2b(digest_size=32)
    for part in parts:
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return digest.hexdigest()


def grammar_parts(path: Path, seen: set[Path] | None = None) -> Iterator[bytes]:
    """The text of a grammar file and of those that it imports."""
    seen = set() if seen is None else seen
    if path in seen:
        return
    seen.add(path)
    yield str(path).encode("utf-8", "surrogateescape")
    try:
        text = files.read(path)
    except (OSError, ValueError):
        return
    yield text
    for match in _IMPORT.finditer(text):
        dotted = re.findall(r"\w+", match[1].decode("utf-8", "replace"))
        for names in (dotted, dotted[:-1]):
            if names:
                yield from grammar_parts(files.imported(path.parent, names), seen)


def load(name: str, key: str, kind: type[T]) -> T | None:
    """Value stored under this name and key; None for a file that is missing, unreadable or damaged."""
    try:
        seal, _, body = _read(_file(name, key)).partition(b"\n")
        return msgspec.json.decode(body, type=kind) if seal == _seal(name, key, body) else None
    except (OSError, ValueError, RuntimeError):  # msgspec's errors are ValueErrors; no home folder is a RuntimeError
        return None


def store(name: str, key: str, value: object) -> None:
    """Keep a value; it appears whole or not at all. Failing to keep it is no error."""
    with suppress(OSError, ValueError, TypeError, RuntimeError):
        import tempfile

        file = _file(name, key)
        body = msgspec.json.encode(value)
        data = _seal(name, key, body) + b"\n" + body
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if len(data) > MAX_FILE or not _is_own(file.parent.stat()):
            return
        _make_room(file.parent)
        handle, temporary = tempfile.mkstemp(prefix=".", dir=file.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(data)
            os.replace(temporary, file)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise


def _read(path: Path) -> bytes:
    """The bytes of a file that nobody else wrote; a pipe or device is not waited for. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE:
            raise OSError("no file of the cache")
        if not _is_own(status) or not _is_own(path.parent.stat()):
            raise OSError("somebody else may write it")
        return file.read()


def _is_own(status: os.stat_result) -> bool:
    """True for what the user owns and nobody else may write to, where a system tells."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _make_room(place: Path) -> None:
    """Remove the older half of the files where there are too many."""
    if len(os.listdir(place)) >= MAX_FILES:
        files = [one for one in os.scandir(place) if one.is_file(follow_symlinks=False)]
        for one in sorted(files, key=lambda one: one.stat(follow_symlinks=False).st_mtime)[: MAX_FILES // 2]:
            with suppress(OSError):
                os.unlink(one.path)


def _seal(name: str, key: str, body: bytes) -> bytes:
    return _hash([name.encode(), key.encode(), body]).encode()


def _file(name: str, key: str) -> Path:
    return folder() / f"{name}-{key[:32]}.json"


@cache
def _loader() -> bytes:
    """Fingerprint of the loader: the versions of Python and toolect, the sizes and times of its files."""
    return b"\n".join([sys.version.encode(), __version__.encode(), state("_diagnostic.py", "_spec/*.py")])


def state(*patterns: str) -> bytes:
    """Fingerprint of the package's files that match `patterns`: their names, sizes and times of change."""
    here = Path(__file__).parent
    parts = []
    for path in sorted(path for pattern in patterns for path in here.glob(pattern)):
        with suppress(OSError):
            status = path.stat()
            parts.append(b"%s %d %d" % (path.name.encode(), status.st_size, status.st_mtime_ns))
    return b"\n".join(parts)
