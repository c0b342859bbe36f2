"""Files as specs are read from them: those on disk, and texts that a program gives instead of a file."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

GIVEN = Path("<defined>")
"""Placeholder for the folder of given texts: no real folder has this name."""

FOLDERS = "TOOLECT_SPECS"
"""The environment variable that names files with dialects or chats, or folders of such, as `PATH` names folders."""
PACKAGES = "toolect.dialects"
"""The entry points by which packages say where their dialects and chats are."""

_given: dict[Path, bytes] = {}


def shipped() -> Path:
    """The `dialects.yaml` that comes with the package: inside it when installed, above it in a checkout."""
    packed = Path(__file__).parent / "data" / "dialects.yaml"
    return packed if packed.exists() else Path(__file__).parents[2] / "dialects.yaml"


def give(path: Path, text: str | None) -> None:
    """From now on `path` holds `text`, or nothing."""
    if text is None:
        _given.pop(path, None)
    else:
        _given[path] = text.encode("utf-8", "surrogatepass")


def given() -> dict[Path, bytes]:
    """All texts that were given, by path, for `take` in another process."""
    return dict(_given)


def take(texts: Mapping[Path, bytes]) -> None:
    """Add the texts that another process was given."""
    _given.update(texts)


def read(path: Path) -> bytes:
    """The bytes of a file. Raises OSError, or ValueError for what is no path."""
    text = _given.get(path)
    return path.read_bytes() if text is None else text


def exists(path: Path) -> bool:
    """True when there is such a file."""
    return path in _given or path.exists()


def imported(folder: Path, names: Sequence[str]) -> Path:
    """The grammar that `%import .names` in a file of `folder` means: one beside that file, or else a shipped one."""
    below = Path(*names[:-1], f"{names[-1]}.lark")
    grammars = shipped().parent / "grammars"
    places = (folder, grammars, grammars / folder.name)  # a value language names its neighbours without their folder
    return next((place / below for place in places if exists(place / below)), folder / below)


def holds_chats(path: Path) -> bool:
    """True for the name of a file with chats, `chats.yaml` or `NAME.chats.yaml`; others hold dialects."""
    return re.fullmatch(r"(?:.*[.])?chats[.]ya?ml", path.name) is not None


def named(chats: bool = False) -> list[Path]:
    """The files with dialects that the environment names, or those with chats."""
    words = os.environ.get(FOLDERS, "").split(os.pathsep)
    return [file for word in words if word for file in _files_at(Path(word), chats)]


def packaged(chats: bool = False) -> list[Path]:
    """The files with dialects, or chats, that installed packages bring: beside a module, or where a path says."""
    from importlib.metadata import entry_points  # not part of starting up: it looks at every package

    found: list[Path] = []
    for point in sorted(entry_points(group=PACKAGES), key=lambda point: point.name):
        try:
            said = point.load()
            places = [Path(said.__file__).parent] if hasattr(said, "__file__") else [*_paths(said)]
        except Exception as error:  # whatever another package does, reading goes on
            what = f"the dialects of the entry point `{point.name} = {point.value}`"
            left_out(what, f"{type(error).__name__}: {error}")
            continue
        found += (file for place in places for file in _files_at(place, chats))
    return found


def left_out(what: str, why: str) -> None:
    """Warn that dialects or chats are left out, which somebody else than the caller has named."""
    warnings.warn(f"{what} are left out: {why}", stacklevel=2)


def _paths(said: object) -> Iterator[Path]:
    if isinstance(said, str | os.PathLike):
        yield Path(said)
    elif isinstance(said, Sequence):
        yield from map(Path, said)
    else:
        raise TypeError(f"expected a module, a path or a list of paths, got {type(said).__name__}")


def _files_at(place: Path, chats: bool) -> list[Path]:
    """The file itself, or the YAML files of a folder: those with chats, or all others."""
    files = sorted(f for f in place.iterdir() if f.suffix in (".yaml", ".yml")) if place.is_dir() else [place]
    return [file for file in files if holds_chats(file) == chats]
