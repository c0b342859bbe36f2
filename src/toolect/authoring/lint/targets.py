"""What a path stands for: the entries of YAML files that lint is to look at."""

from __future__ import annotations

from pathlib import Path

from toolect._cache import grammar_parts
from toolect._files import holds_chats
from toolect._spec.chat_load import read_chat_names
from toolect._spec.load import read_names

MAIN = "dialects.yaml"
"""The file that counts in a folder that has it."""


def of_folder(folder: Path) -> list[Path]:
    """The YAML files of a folder that lint looks at: those with chats, and the main one, else all of the others."""
    main = folder / MAIN
    files = [*sorted(folder.glob("*.yaml")), *sorted(folder.glob("*.yml"))]
    dialects = [main] if main.is_file() else [file for file in files if not holds_chats(file)]
    return [*dialects, *(file for file in files if holds_chats(file))]


def of_grammar(grammar: Path) -> dict[Path, list[str]]:
    """The YAML files beside the folder `grammars` that a grammar is in, with those of their entries that use it."""
    home = next((parent.parent for parent in grammar.absolute().parents if parent.name == "grammars"), None)
    found: dict[Path, list[str]] = {}
    for path in of_folder(_near(home)) if home is not None else []:
        read = read_chat_names if holds_chats(path) else read_names
        names = [name for name, known in read(path)[0].items() if _uses(path, (name, known.extends), grammar)]
        if names:
            found[path] = names
    return found


def _uses(path: Path, stems: tuple[str, ...], grammar: Path) -> bool:
    """True when the first grammar that there is of these `stems` is `grammar`, or imports it."""
    folder = path.parent / "grammars" / "chats" if holds_chats(path) else path.parent / "grammars"
    own = next((f for stem in stems if stem and (f := folder / f"{stem}.lark").exists()), None)
    if own is None:
        return False
    reached: set[Path] = set()
    for _ in grammar_parts(own, reached):
        pass
    return grammar.resolve() in {file.resolve() for file in reached}


def _near(folder: Path) -> Path:
    """A folder as seen from here, when it is below: reports then have short paths."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
