"""The playground: its views, its bounds, and the page in a real browser."""

from __future__ import annotations

import json
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import shares

import toolect
from toolect._play import spec_process, view_models

uvicorn = pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")
testclient = pytest.importorskip("starlette.testclient", reason="the extra `serve` is not installed")
from toolect._play.app import MAX_BODY, application  # noqa: E402  # it needs the extra
from toolect.serve import ServeOptions, create_app  # noqa: E402

TEXT = '<think>\nOne call.\n</think>\n\n<tool_call>\n{"name": "tide", "arguments": {"port": "Brest"}}\n</tool_call>'
FLAWED = '<tool_call>\n{"name": "tide", "arguments": {"port": "Brest"}\n</tool_call>'
MARKUP = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"
ENTRY = """harbour:
  map: {content: content, call: call, NAME: call.name, argument: argument, KEY: argument.key,
    argument/TEXT: argument.value}
  values: {argument/TEXT: {codec: schema}}
"""
GRAMMAR = r"""start: (content | call)*
content: TEXT
call: "<call:" NAME ">\n" argument* "</call>"
argument: "<arg:" KEY ">" TEXT "</arg>\n"
NAME: /[\w\-\.]+/
KEY: /[\w\-\.]+/
%declare TEXT
"""
HARBOUR = "<call:tide>\n<arg:days>2</arg>\n</call>"


@pytest.fixture(scope="module")
def client() -> Any:
    """Requests to the application, as the page makes them."""
    return testclient.TestClient(application(), base_url="http://localhost")


def asked(client: Any, view: str, **request: Any) -> Any:
    """The answer to a request; its error where it is refused."""
    answer = client.post(f"/play/{view}", json=request)
    body = answer.json()
    return body if answer.status_code == 200 else (answer.status_code, body["error"])


@pytest.mark.parametrize("name", shares.share(["auto", *toolect.dialects()], 12, "play"))
def test_the_spans_tile_every_text(name: str) -> None:
    """All of a text is shown, whatever its dialect makes of it, also where it is cut."""
    for text in (TEXT, FLAWED, TEXT[:70], HARBOUR, "", "no call"):
        view = view_models.read(view_models.Asked(text, name))
        assert "".join(text[one["start"] : one["end"]] for one in view["spans"]) == text


@pytest.mark.parametrize("size", [1, 3, 50])
def test_a_replay_is_the_stream(size: int) -> None:
    """The events of all frames are those of the message, and a frame ends where its chunk does."""
    done = view_models.replay(view_models.Asked(TEXT, "hermes", size=size))
    events = [event for frame in done["frames"] for event in frame["events"]]
    assert [event["call"]["name"] for event in events if event["type"] == "call-end"] == ["tide"]
    assert "".join(event["text"] for event in events if event["type"] == "reasoning") == "One call."
    assert [frame["end"] for frame in done["frames"]][:-1] == [
        min(at + size, len(TEXT)) for at in range(0, len(TEXT), size)
    ]


def test_a_long_replay_has_longer_chunks() -> None:
    """The number of frames is bounded, and the answer says how long the chunks are."""
    done = view_models.replay(view_models.Asked("x" * (view_models.MAX_FRAMES * 3), "hermes"))
    assert done["size"] == 3
    assert len(done["frames"]) == view_models.MAX_FRAMES + 1


def test_flaws_are_explained(client: Any) -> None:
    """A repaired call has its repairs with their places, and the costs of its readings on request."""
    view = asked(client, "read", text=FLAWED, dialect="hermes", explain=True)
    assert view["message"]["segments"][0]["repairs"][0]["at"] == FLAWED.index("</tool_call>")
    assert "json_close" in view["explanation"]


def test_other_views(client: Any) -> None:
    """A conversion comes with its losses, a conversation with the origin of each character."""
    done = asked(client, "convert", text=TEXT, dialect="hermes", to="pythonic")
    assert done["text"] == "[tide(port='Brest')]"
    assert len(done["losses"]) == 1
    messages = [{"role": "user", "content": "When?"}]
    done = asked(client, "conversation", to="qwen3", messages=messages)
    assert {"user", "scaffold"} == {span["kind"] for span in done["spans"]}
    assert "".join(done["text"][one["start"] : one["end"]] for one in done["spans"]) == done["text"]


@pytest.mark.parametrize(
    ("request_", "status", "why"),
    [
        ({"view": "read", "dialect": "nonsuch"}, 400, "nonsuch"),
        ({"view": "read", "text": 3}, 400, "text"),
        ({"view": "read", "schemas": [{"name": 3}]}, 400, "name"),
        ({"view": "convert", "text": "x", "to": ""}, 400, "dialect"),
        ({"view": "conversation", "to": "qwen3", "messages": [{"role": "pirate"}]}, 400, "pirate"),
        ({"view": "nonsuch"}, 404, "read"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_refusals(client: Any, request_: dict[str, Any], status: int, why: str) -> None:
    """Bad requests get a sentence and a status of their own."""
    view = request_.pop("view")
    got = asked(client, view, **request_)
    assert got[0] == status
    assert why in got[1]


def test_foreign_requests_are_refused(client: Any) -> None:
    """Another page's script, another name of this machine, and a form of HTML reach nothing."""
    body = json.dumps({"text": TEXT})
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        answer = client.post("/play/read", content=body, headers={"Content-Type": "application/json", **headers})
        assert answer.status_code == 403
    assert client.post("/play/read", content=body, headers={"Content-Type": "text/plain"}).status_code == 403


def test_bounds(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too long is refused before it is read."""
    assert (
        client.post(
            "/play/read", content=b" " * (MAX_BODY + 1), headers={"Content-Type": "application/json"}
        ).status_code
        == 413
    )
    monkeypatch.setattr(view_models, "MAX_TEXT", 10)
    assert "at most 10 characters" in asked(client, "read", text="x" * 11)[1]
    monkeypatch.setattr(spec_process, "MAX_SPEC", 10)
    assert "at most 10 characters" in asked(client, "spec", entry=ENTRY)[1]
    assert client.get("/play/files/..%2Fapp.py").status_code == 404


def test_a_spec_is_linted_and_read_with(client: Any) -> None:
    """A spec of a visitor reads the text in a process of its own; what is wrong with it is said with its line."""
    done = asked(client, "spec", text=HARBOUR, entry=ENTRY, grammar=GRAMMAR)
    assert done["diagnostics"] == []
    assert done["message"]["segments"][0]["arguments"] == '{"days": 2}'
    done = asked(client, "spec", text=HARBOUR, entry=ENTRY, grammar=GRAMMAR.replace("argument*", "argumen*"))
    assert done["diagnostics"][0]["file"] == "grammar"
    assert done["diagnostics"][0]["line"] == 3
    assert "message" not in done
    assert "harbour" not in toolect.dialects()


def test_a_spec_that_takes_too_long_is_ended(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process is ended, and the answer says why."""
    monkeypatch.setattr(spec_process, "SECONDS", 0.05)
    done = asked(client, "spec", text=HARBOUR, entry=ENTRY, grammar=GRAMMAR)
    assert "after 0.05 seconds" in done["diagnostics"][0]["message"]


def test_no_spec_is_compiled_unless_allowed() -> None:
    """Where editing is off the endpoint does not exist."""
    closed = testclient.TestClient(application(editing=False), base_url="http://localhost")
    assert asked(closed, "spec", text=HARBOUR, entry=ENTRY, grammar=GRAMMAR)[0] == 404


@pytest.mark.parametrize("play", [False, True])
def test_a_server_has_the_page(play: bool, tmp_path: Path) -> None:
    """`toolect serve` shows it at `/`, and compiles the specs of visitors only where that is allowed."""
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"text": TEXT}) + "\n", encoding="utf-8")
    serving = testclient.TestClient(create_app(ServeOptions(replay=answers, play=play)), base_url="http://localhost")
    assert "playground" in serving.get("/").text
    assert asked(serving, "read", text=TEXT)["message"]["segments"][1]["name"] == "tide"
    got = asked(serving, "spec", text=HARBOUR, entry=ENTRY, grammar=GRAMMAR)
    assert ("message" in got) if play else got[0] == 404
    assert serving.get("/", headers={"Host": "evil.example"}).status_code == 403


# In a browser


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The page on a real server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(application(), port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)  # until the socket listens
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, of the system."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("expected Chromium, got none: install the system's package `chromium`")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """The page when it has begun. No error may be logged, and nobody else be asked."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("request", lambda one: None if one.url.startswith((address, "data:")) else problems.append(one.url))
    opened.goto(address)
    opened.wait_for_selector("#segments li")
    yield opened
    context.close()
    assert problems == []


def until(page: Any, expression: str, timeout: float = 60) -> None:
    """Wait until an expression is true on the page, `timeout` seconds at most; its policy forbids to do so there."""
    end = time.monotonic() + timeout
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(20)


def test_typing_is_read(page: Any) -> None:
    """The reading follows what is typed; markup in it is shown as text."""
    page.fill("#text", "")
    page.type("#text", FLAWED)
    page.wait_for_selector(".edge-repaired")
    assert "tide" in page.inner_text("#segments")
    page.fill("#text", MARKUP)
    until(page, "document.querySelector('#coloured').textContent.startsWith('<img')")
    assert page.inner_text("#coloured") == MARKUP
    assert page.title() == "toolect playground"


def test_by_keyboard_alone(page: Any) -> None:
    """Every view is reached by arrows, and the slider replays what had arrived."""
    page.focus("#tab-read")
    page.keyboard.press("ArrowRight")
    until(page, "document.querySelector('#at').max > 0")
    assert page.evaluate("document.activeElement.id") == "tab-replay"
    page.focus("#at")
    page.keyboard.press("Home")
    assert page.inner_text("#live") == ""
    page.keyboard.press("End")
    assert page.locator("#live .edge-ok").count() == 2
    page.focus("#tab-replay")
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.id") == "tab-spec"


def test_links_hold_the_state(page: Any) -> None:
    """A link gives the text back; one that would be too long is refused in words."""
    page.fill("#text", FLAWED)
    page.click("#share")
    until(page, "location.hash.length > 1")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".edge-repaired")
    assert page.input_value("#text") == FLAWED
    page.evaluate("document.querySelector('#text').value = Array.from({length: 9000}, () => Math.random()).join()")
    page.click("#share")
    until(page, "document.querySelector('#status').textContent.includes('too long for a link')")


def test_a_spec_is_edited_until_lint_is_content(page: Any) -> None:
    """A wrong rule is reported with its line; mended, the answer is read."""
    page.click("#tab-spec")
    page.fill("#text", HARBOUR)
    page.fill("#entry", ENTRY)
    page.fill("#grammar", GRAMMAR.replace("argument*", "argumen*"))
    page.wait_for_selector("#diagnostics .error", timeout=60_000)
    assert "grammar:3" in page.inner_text("#diagnostics")
    page.fill("#grammar", GRAMMAR)
    page.wait_for_selector("#spec-segments .edge-ok", timeout=60_000)
    assert page.locator("#diagnostics li").count() == 0


def test_a_megabyte_leaves_the_page_responsive(page: Any) -> None:
    """While a long text is read, and when it is drawn, frames go on being painted."""
    page.evaluate(
        """() => {
            window.longest = 0; let last = performance.now(); window.began = last;
            const frame = (now) => { window.longest = Math.max(window.longest, now - last); last = now;
              requestAnimationFrame(frame); };
            requestAnimationFrame(frame);
            const text = document.querySelector('#text');
            text.value = 'A line of prose about tides.\\n'.repeat(36000) + text.value;
            text.dispatchEvent(new Event('input'));
        }"""
    )
    until(page, "document.querySelector('#coloured').textContent.length > 1e6")
    assert page.locator("#segments .edge-ok").count() == 2
    longest, whole = page.evaluate("[window.longest, performance.now() - window.began]")
    assert longest < 0.7 * whole  # a part of drawing it at most, however busy the machine is


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [420, 1600])
def test_everybody_can_use_it(browser: Any, address: str, scheme: str, width: int) -> None:
    """axe finds nothing in any view, and nothing is wider than the screen."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    opened = context.new_page()
    opened.goto(address)
    opened.wait_for_selector("#segments li")
    for view in ("read", "replay", "convert", "conversation", "spec"):
        opened.click(f"#tab-{view}")
        until(opened, f"document.querySelector('#view-{view}').innerText.length > 200")
        found = axe.run(opened)
        assert found.violations_count == 0, found.generate_report()
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
