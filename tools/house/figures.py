"""Prints the lines and modules of each package, and the calls of functions that reading an answer takes.

    python -m tools.house.figures [CHECKOUT]

CHECKOUT is another checkout, to compare with: only public names are used.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

import toolect

SOURCE = Path(toolect.__file__).parent
CANONICAL = """Let me see.
<tool_call>
{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}}
</tool_call>"""
UNCLOSED = """Let me see.

<tool_call>
<function=get_weather>
<parameter=city>
Oslo
</function>
</tool_call>"""
CHUNK = 7
WARM = 5
"""Readings of an answer before calls are counted: the first ones make nodes and plans."""


def answers() -> dict[str, Callable[[], object]]:
    """The answers that are read: as the template writes one, in chunks, and with two flaws that models do write."""
    json, tags = toolect.dialect("hermes"), toolect.dialect("qwen3-coder")
    no_comma = CANONICAL.replace('", "days', '" "days')

    def streamed() -> object:
        stream = json.stream()
        for at in range(0, len(CANONICAL), CHUNK):
            stream.feed(CANONICAL[at : at + CHUNK])
        stream.close()
        return stream.message

    return {
        "hermes, a comma missing": lambda: json.parse(no_comma),  # before what teaches how calls are spelled
        "hermes, canonical": lambda: json.parse(CANONICAL),
        f"hermes, streamed by {CHUNK}": streamed,
        "qwen3-coder, `</parameter>` missing": lambda: tags.parse(UNCLOSED),
    }


def counted(run: Callable[[], object]) -> Counter[tuple[str, str]]:
    """Number of calls of each function of toolect in one run, by file and name; those of dependencies do not count."""
    calls: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(SOURCE)):
            calls[code.co_filename, code.co_qualname] += 1

    for _ in range(WARM):
        run()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return calls


def main(argv: Sequence[str]) -> int:
    """Print the figures of the toolect that is imported, or have those of another checkout printed."""
    if argv:
        environment = {**os.environ, "PYTHONPATH": str(Path(argv[0]).resolve() / "src")}
        return subprocess.run([sys.executable, "-m", "tools.house.figures"], env=environment, check=False).returncode
    lines: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for path in SOURCE.rglob("*.py"):
        for package in ("all", path.relative_to(SOURCE).parts[0].removesuffix(".py")):
            modules[package] += 1
            lines[package] += len(path.read_text(encoding="utf-8").splitlines())
    print(f"{SOURCE}\n\n  lines  modules  package")
    for package, size in lines.most_common():
        print(f"{size:7,}{modules[package]:9}  {package}")
    print("\n  calls  functions  modules  answer")
    for answer, run in answers().items():
        calls = counted(run)
        print(f"{calls.total():7,}{len(calls):11}{len({file for file, _ in calls}):9}  {answer}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
