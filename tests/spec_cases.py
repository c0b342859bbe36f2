"""Specs and what is said about them, read from and written to `tests/checks/*.txt`.

The format is that of the corpus, with frames of just 18 signs and dividers of just 6, so that a corpus in a case has
others. The text above the divider is `dialects.yaml`; a line `@ <path>` begins another file.
`grammars/d.lark` is there unless a case brings its own. Attributes: `:grammar <name>` (the same grammar under another
name), `:latin-1 <path>` (how the file is encoded), `:no-spec` (it is missing), `:deep` (it is one deep nest).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).with_name("checks")
SPEC = "dialects.yaml"
CHATS = "chats.yaml"
GRAMMAR = """\
start: (content | call)*
content: TEXT
call: "<call>" JSON "</call>"
%declare TEXT JSON
"""

_FRAME = re.compile(r"^(={18})\n((?!=)[^\n]+)\n((?::[^\n]*\n)*)\1\n", re.MULTILINE)
_DIVIDER = re.compile(r"^------\n", re.MULTILINE)


@dataclass(frozen=True)
class SpecCase:
    """One spec and the drawn diagnostics written below it, none below a good one."""

    path: Path
    title: str
    attributes: dict[str, str]
    text: str
    expected: str

    def __str__(self) -> str:
        return f"{self.path.stem}: {self.title}"

    @property
    def spec(self) -> str:
        """The file that lint looks at: that with chats, if there is one."""
        return CHATS if CHATS in self.files else SPEC

    @property
    def files(self) -> dict[str, str]:
        """The text of each file by its path, as it stands in the case."""
        first, *others = re.split(r"^@ (\S+)\n", self.text, flags=re.MULTILINE)
        return {SPEC: first} | dict(zip(others[::2], others[1::2], strict=True))

    def write(self, folder: Path) -> None:
        """Write the case's files."""
        files = {"grammars/d.lark": GRAMMAR} | self.files
        first = files.pop(SPEC)
        if "grammar" in self.attributes:
            files[f"grammars/{self.attributes['grammar']}.lark"] = GRAMMAR
        if "deep" in self.attributes:
            first = "d: " + "[" * 100_000
        if "no-spec" not in self.attributes:
            files[SPEC] = first
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text.encode("latin-1" if name == self.attributes.get("latin-1") else "utf-8"))


def read(path: Path) -> list[SpecCase]:
    """The cases of one file, in order."""
    source = path.read_bytes().decode()
    frames = list(_FRAME.finditer(source))
    ends = [frame.start() for frame in frames[1:]] + [len(source)]
    cases = []
    for frame, end in zip(frames, ends, strict=True):
        text, expected = _DIVIDER.split(source[frame.end() : end], maxsplit=1)
        attributes = dict((line[1:] + " ").split(" ", 1) for line in frame[3].splitlines())
        attributes = {name: value.strip() for name, value in attributes.items()}
        cases.append(SpecCase(path, frame[2], attributes, text, expected.strip("\n")))
    return cases


def update(case: SpecCase, expected: str) -> None:
    """Write a new expectation for one case into its file."""
    parts = []
    for other in read(case.path):
        frame = "=" * 18
        attributes = "".join(f":{name} {value}".rstrip() + "\n" for name, value in other.attributes.items())
        below = expected if other.title == case.title else other.expected
        below = below and below + "\n"
        parts.append(f"{frame}\n{other.title}\n{attributes}{frame}\n{other.text}------\n{below}")
    case.path.write_bytes("\n".join(parts).encode())


def all_cases() -> list[SpecCase]:
    """Every case of every check."""
    return [case for path in sorted(ROOT.glob("*.txt")) for case in read(path)]
