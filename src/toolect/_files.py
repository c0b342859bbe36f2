"""Files as specs are read from them: those on disk, and texts that a program gives instead of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

GIVEN = Path("<defined>")
"""Where given texts seem to lie: no folder has this name."""

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
    """Have what another process was given."""
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
