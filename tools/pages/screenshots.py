"""Screenshots of the playground, by a headless Chromium: light and dark, wide and narrow.

`python -m tools.pages.screenshots FOLDER` writes them as files; the site has them on the playground's page.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Literal

from toolect._play.app import application

SHOTS: tuple[tuple[str, Literal["light", "dark"], int, str], ...] = (
    ("read", "light", 1200, "#view-read"),
    ("replay", "dark", 1200, "#view-replay"),
    ("conversation", "light", 1200, "#view-conversation"),
    ("read", "dark", 420, "#view-read"),
)
"""View, colour scheme, width in CSS pixels, and the element to wait for."""
FLAWED = (
    "<think>\nTwo harbours, so two calls.\n</think>\n\nI look both up.\n\n"
    '<tool_call>\n{"name": "tide", "arguments": {"port": "Brest"}}\n</tool_call>\n'
    '<tool_call>\n{"name": "tide", "arguments": {"port": "Calais",}\n</tool_call>'
)
"""An answer whose second call lacks a bracket and has a comma too many."""


NAMES = {
    f"{view}-{scheme}-{width}.png": f"The view {view}, {scheme}, {width} pixels wide"
    for view, scheme, width, _ in SHOTS
}
"""Title of each file."""


def screenshots() -> dict[str, bytes]:
    """Pictures as PNG, by the names of their files; none where Chromium is not installed."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        import uvicorn
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        print("no screenshots: expected Chromium and playwright", file=sys.stderr)
        return {}
    server = uvicorn.Server(uvicorn.Config(application(given=FLAWED), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)  # until the socket listens
    port = server.servers[0].sockets[0].getsockname()[1]
    made = {}
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for view, scheme, width, element in SHOTS:
            context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{port}/")
            page.wait_for_selector("#segments li")
            page.click(f"#tab-{view}")
            page.wait_for_function("text => document.querySelector(text).innerText.length > 200", arg=element)
            page.wait_for_function("() => /\\d/.test(document.querySelector('#status').textContent)")  # its counts
            made[f"{view}-{scheme}-{width}.png"] = page.screenshot()
            context.close()
        browser.close()
    server.should_exit = True
    thread.join(10)
    return made


if __name__ == "__main__":
    for name, picture in screenshots().items():
        path = Path(sys.argv[1]) / name
        path.write_bytes(picture)
        print(path)
