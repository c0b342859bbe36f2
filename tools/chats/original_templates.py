"""The chat templates that models are shipped with, from packages that hold copies of them, in a cache.

    python -m tools.chats.original_templates

They belong to others, so they are fetched, not kept: the source distribution of llama-cpp-python and the wheel of trl.
The cache is a folder of the user's; TOOLECT_TEMPLATES names another one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec

CACHE = Path(os.environ.get("TOOLECT_TEMPLATES") or Path.home() / ".cache" / "toolect-templates")


class Source(NamedTuple):
    """A package, the options that make pip download the right archive of it, and the folder of templates inside."""

    folder: str
    requirement: str
    options: tuple[str, ...]
    inside: str


SOURCES = (
    Source("llama.cpp", "llama-cpp-python==0.3.36", ("--no-binary", ":all:"), "vendor/llama.cpp/models/templates"),
    Source("trl", "trl==1.16.0", ("--only-binary", ":all:"), "trl/chat_templates"),
)


class Original(msgspec.Struct, forbid_unknown_fields=True):
    """Facts about a template besides its text: what its tokenizer sets, and how it is given calls."""

    bos_token: str = ""
    eos_token: str = ""
    arguments: str = "object"
    """"object", or "text" where it prints a call's arguments as they are given."""
    empty: str | None = ""
    """The content of an answer that has none."""
    ids: str = "{random}"
    """Pattern of a call's id: of its `name`, its `index` in the conversation, or at `random`."""
    tools: bool = False
    """True when it is for conversations with tools only: for those without the model has another one."""
    breaks: str = ""
    """Message of an error of its own with which it fails, where it refuses nothing: such conversations are left out."""
    functions: bool = False
    """True when it wants tools as a text, `functions`, and a text of the date, `datetime`."""
    responses: bool = False
    """True when it wants results in the message of the answer that called."""
    parts: bool = False
    """True when it wants contents as lists of parts, as it also takes images."""
    thinking: bool | None = None
    """Value that whoever changed the template gives its reasoning option where nobody asks."""
    loose: bool = False
    """True when it renders only where a template may change lists, and write iterators as JSON: not in transformers."""


class Template(NamedTuple):
    """A template by its name, folder first, with the names of those that are the same text."""

    name: str
    text: str
    copies: tuple[str, ...]
    original: Original


def fetch() -> None:
    """Fill the cache with what it has not."""
    for source in SOURCES:
        folder = CACHE / source.folder
        if (folder / "done").is_file() and (folder / "done").read_text() == source.requirement:
            continue
        print(f"fetching {source.requirement}", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as place:
            pip = [sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check", "--no-deps"]
            subprocess.run([*pip, *source.options, "--dest", place, source.requirement], check=True)
            (archive,) = Path(place).iterdir()
            for name, data in _members(archive):
                path = PurePosixPath(name)
                if path.suffix == ".jinja" and path.parent.as_posix().endswith(source.inside):
                    (folder / path.name).write_bytes(data)
        (folder / "done").write_text(source.requirement)


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as wheel:
            yield from ((name, wheel.read(name)) for name in wheel.namelist())
        return
    with tarfile.open(archive) as source:
        for member in source:
            if (file := source.extractfile(member)) is not None and member.name.endswith(".jinja"):
                yield member.name, file.read()


def templates() -> list[Template]:
    """The templates of the cache, each text once; without those that others changed for training."""
    known = msgspec.yaml.decode((Path(__file__).parent / "originals.yaml").read_bytes(), type=dict[str, dict[str, Any]])
    texts: dict[str, list[str]] = {}
    for source in SOURCES:
        for path in sorted((CACHE / source.folder).glob("*.jinja"), key=lambda path: path.name.lower()):
            if not path.stem.endswith("_training"):
                text = path.read_bytes().decode("utf-8")
                texts.setdefault(text.strip(), []).append(f"{source.folder}/{path.stem}")
    return [
        Template(name, (CACHE / f"{name}.jinja").read_bytes().decode("utf-8"), tuple(copies), _known(name, known))
        for name, *copies in texts.values()
    ]


def _known(name: str, known: Mapping[str, Mapping[str, Any]]) -> Original:
    found: dict[str, Any] = {}
    for patterns, facts in known.items():
        if any(fnmatchcase(name, pattern) for pattern in patterns.split()):
            found |= facts
    return msgspec.convert(found, Original)


if __name__ == "__main__":
    fetch()
    print(f"{len(templates())} templates in {CACHE}")
