"""The programs under examples/ run, and print what the file beside them says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

SEED = """\
Tools schema pass to llm:
/** Get weather for location today (default) or N days in the future up to 10 days */
getWeather({
/** The location to get the weather for. */
location: string;
/** The number of days in the future to get the weather for. */
daysInFuture: number;
})
Response from llm with tool call code block:
```javascript
getWeather({ location: "San Francisco", daysInFuture: 0 })
```
Validated tools to call:
[
{
name: 'getWeather',
args: { location: 'San Francisco', daysInFuture: 0 },
originalArgs: '{ location: "San Francisco", daysInFuture: 0 }'
}
]
"""
"""What the program prints that `calls_as_code.py` was modelled on, without its indentation and empty lines."""


def printed(name: str) -> str:
    """What an example prints, in a process of its own."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)], capture_output=True, encoding="utf-8", check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_prints_what_the_file_beside_it_says(path: Path) -> None:
    """Each program has its expected output, and prints it."""
    assert printed(path.name) == path.with_suffix(".expected").read_text(encoding="utf-8")


def test_calls_as_code_prints_what_its_model_does() -> None:
    """The first three parts are those of the program it was modelled on."""
    lines = [line.strip() for line in (EXAMPLES / "calls_as_code.expected").read_text(encoding="utf-8").splitlines()]
    assert "\n".join(line for line in lines if line).startswith(SEED)
