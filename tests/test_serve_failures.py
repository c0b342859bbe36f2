"""`toolect serve` where something goes wrong: upstreams that fail, clients that go, requests that are none."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import chat_server
import httpx
import openai
import pytest
import shares
from loopback import (
    MODEL,
    TOOLS,
    USAGE,
    WAYS,
    Peer,
    Script,
    Served,
    Upstream,
    api_errors,
    app_at,
    chat_answer,
    serving,
    text_answer,
    upstream,
)  # fmt: skip

import toolect
from toolect.serve import ServeOptions, create_app
from toolect.serve.upstream import HttpUpstream

PLAIN = "High tide is at noon."
ways = pytest.mark.parametrize(("api", "stream"), WAYS, ids=[f"{a}-{'stream' if s else 'whole'}" for a, s in WAYS])
PATHS = {"chat": "/v1/chat/completions", "messages": "/v1/messages", "responses": "/v1/responses"}


@pytest.fixture(scope="module")
def up() -> Iterator[Upstream]:
    """The upstream."""
    with upstream() as found:
        yield found


@pytest.fixture(scope="module")
def server(up: Upstream) -> Iterator[Served]:
    """A server that has little patience and small limits."""
    limits = {"max_line": 1 << 20, "max_answer": 100_000, "max_body": 200_000, "idle_seconds": 0.5, "max_requests": 4}
    with serving(upstream=up.url, **limits) as found:
        yield found
        end = time.monotonic() + 10  # the client has its answer a moment before the request is over
        while found.app.state.service.open and time.monotonic() < end:
            time.sleep(0.01)
        assert found.app.state.service.open == 0  # nothing is left behind


def body_of(api: str, stream: bool) -> dict[str, Any]:
    """The least of a request."""
    if api == "responses":
        return {"model": MODEL, "input": "?", "stream": stream}
    return {"model": MODEL, "messages": [{"role": "user", "content": "?"}], "stream": stream, "max_tokens": 9}


def piece(text: str, finish: str | None = None) -> bytes:
    """One event of a text completion."""
    return f"data: {json.dumps({'choices': [{'index': 0, 'text': text, 'finish_reason': finish}]})}\n\n".encode()


def sends(*data: bytes, status: int = 200, kind: str = "", **headers: str) -> Script:
    """An upstream that sends these bytes and closes."""

    async def script(peer: Peer) -> None:
        shown = "text/event-stream" if peer.body.get("stream") else "application/json"
        await peer.head(status, kind or shown, **headers)
        for one in data:
            await peer.send(one)

    return script


OUT_OF_MEMORY = b'data: {"error": {"message": "out of memory"}}\n\n'
FAILS: dict[str, tuple[Script, str]] = {
    "closes after headers": (sends(), "upstream"),
    "dies in the middle": (sends(piece("High"), piece(" tide")), "broke off|expected JSON"),
    "dies in a call": (sends(piece('<tool_call>\n{"name": "tide", "arguments": {"ci')), "broke off|expected JSON"),
    "dies before its length": (sends(b'{"choices": [', kind="application/json", content_length="900"), "broke off"),
    "nonsense": (sends(b"data: {oops\n\n"), "expected JSON objects"),
    "an error in the middle": (
        sends(piece("High"), b'data: {"error": {"message": "out of memory"}}\n\n'),
        "memory|JSON",
    ),
    "no object": (sends(b"data: [1]\n\n"), "expected JSON objects"),
    "text that is none": (sends(b'data: {"choices": [{"index": 0, "text": 5}]}\n\n'), "expected"),
    "choices of nobody": (sends(b'data: {"choices": [{"index": 7, "text": "a"}]}\n\n'), "expected"),
    "a page with 200": (sends(b"<html><body>hello</body></html>", kind="text/html"), "expected JSON objects.*<html>"),
    "html": (sends(b"<html>\n<h1>Bad gateway</h1>", status=502, kind="text/html"), "502 with text/html.*Bad gateway"),
    "an error beside a choice": (
        sends(
            piece("High"), b'data: {"error": {"message": "out of memory"}, "choices": [{"finish_reason": "error"}]}\n\n'
        ),
        "memory|JSON",
    ),
    "a reason that is an error": (sends(piece("High", "error"), b"data: [DONE]\n\n"), "broke off|expected JSON"),
    "an empty reason": (sends(piece("High", "")), "broke off|expected JSON"),
    "half of an event": (sends(piece("High"), piece(" tide", "stop")[:30]), "broke off|expected JSON"),
    "an empty error": (sends(status=500), "500"),
    "a redirect": (sends(status=302, location="http://example.org"), "302"),
}


@ways
@pytest.mark.parametrize("kind", FAILS)
def test_upstreams_that_fail(server: Served, up: Upstream, api: str, stream: bool, kind: str) -> None:
    """No client is told that an answer is finished which is not; each is told in a sentence why."""
    up.script, why = FAILS[kind]
    with pytest.raises(api_errors(), match=f"(?s){why}") as raised:
        server.ask(api, stream)
    assert not isinstance(raised.value, api_errors("APIConnectionError"))


@ways
def test_an_upstream_that_is_not_there(api: str, stream: bool) -> None:
    """A server that cannot be reached is a bad gateway."""
    with (
        serving(upstream="http://127.0.0.1:9/v1") as one,
        pytest.raises(api_errors(), match="cannot be reached") as raised,
    ):
        one.ask(api, stream)
    assert raised.value.status_code == 502  # type: ignore[attr-defined]


@ways
def test_what_an_upstream_refuses(server: Served, up: Upstream, api: str, stream: bool) -> None:
    """Its status, its sentence and when to try again are the client's."""
    for status, kind in ((429, "RateLimitError"), (401, "AuthenticationError"), (400, "BadRequestError")):
        error = b'{"error": {"message": "so it is", "code": "x"}}'
        up.script = sends(error, status=status, kind="application/json", retry_after="7")
        with pytest.raises(api_errors(), match="so it is") as raised:
            server.ask(api, stream)
        assert type(raised.value).__name__ == kind
        assert raised.value.response.headers["retry-after"] == "7"  # type: ignore[attr-defined]


def test_no_client_is_told_the_secrets_of_the_server(up: Upstream) -> None:
    """An upstream quotes the key that it was sent, as JSON, as a page, in a stream and at the end of what is shown."""
    secrets = "geheim-key", "geheim-word"
    url = up.url.replace("//", "//user:geheim-word@")
    leaked = " ".join(secrets)
    fails = (
        sends(
            json.dumps({"error": {"message": f"no such key: {leaked}"}}).encode(), status=401, kind="application/json"
        ),
        sends(
            json.dumps({"error": {"message": f"{'x' * 1193}{leaked}"}}).encode(), status=401, kind="application/json"
        ),
        sends(f"<html>{leaked}".encode(), status=502, kind="text/html"),
        sends(f"data: {json.dumps({'error': {'message': leaked}})}\n\n".encode()),
        sends(f"data: {leaked}\n\n".encode()),
        sends(b"no", status=502, kind="text/geheim-key"),
        sends(b'{"error": {"message": "no", "code": "geheim-key"}}', status=400, kind="application/json"),
        sends(b"no", status=503, retry_after="geheim-key"),
    )
    with serving(upstream=url, key="geheim-key") as one:
        for up.script in fails:
            with pytest.raises(api_errors()) as raised:
                one.ask("chat", True)
            response = raised.value.response  # type: ignore[attr-defined]
            assert "geheim" not in f"{raised.value} {response.text} {response.headers}"
    assert "geheim" not in repr(ServeOptions(upstream=url, key="geheim-key"))
    for wrong in (
        url.replace("http", "ftp"),
        "user:geheim@host:80",
        "//u:geh/geheim@host",
        "ftp://u:geheim@host:x?k=geheim",
    ):
        with pytest.raises(ValueError, match=r"upstream URL.*(host|127)") as error:
            ServeOptions(upstream=wrong)
        assert "geheim" not in str(error.value)
    words = ["serve", "--upstream", url, "--port", "0"]
    with subprocess.Popen([sys.executable, "-m", "toolect", *words], stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None and "geheim" not in (said := child.stderr.readline()) and "serving" in said
        child.terminate()


ODD = [
    b": comment\n\n" + piece("High ti") + b'data: {"object": "ping"}\n\n' + piece("de is at noon.", "stop"),
    piece(PLAIN).replace(b"\n", b"\r\n") + piece("", "stop").replace(b"\n", b"\r\n") + b"data: [DONE]\r\n\r\n",
    piece(PLAIN) + piece("", "stop").rstrip(b"\n"),  # the last line has no end, and there is no [DONE]
    b"event: message\nid: 3\n" + piece(PLAIN) + b'data: {"choices": []}\n\n' + piece("", "stop") + b"data: [DONE]\n\n",
    piece(PLAIN) + b"data: [DONE]\n\n",  # the end is named, if not its reason
    piece(PLAIN, "stop") + b"data: [DONE]",
    b"\xef\xbb\xbf" + piece("High", "") + piece(" tide is at noon.", "stop"),  # a byte order mark, an empty reason
    piece("High").replace(b'"index": 0', b'"index": null') + piece(" tide is at noon.") + piece("", "stop"),
    piece(PLAIN, "stop").replace(b"\n\n", b'\n\ndata: {"choices": [{"index": 0, "text": null}], "error": null}\n\n'),
    b'data: {"choices":\ndata: [{"index": 0, "text": "High tide is at noon.", "finish_reason": "stop"}]}\n\n',
]


@pytest.mark.parametrize("api", PATHS)
@pytest.mark.parametrize("data", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("size", [1, 3, 10_000])
def test_streams_that_are_odd_and_whole(server: Served, up: Upstream, api: str, data: bytes, size: int) -> None:
    """Comments, other line ends, chunks without choices, a missing [DONE]: the answer is there."""
    up.script = sends(*(data[at : at + size] for at in range(0, len(data), size)))
    found = server.ask(api, True)
    assert (found.content, found.finish) == (PLAIN, "stop")


@pytest.mark.parametrize("api", PATHS)
def test_characters_that_are_cut(server: Served, up: Upstream, api: str) -> None:
    """Bytes of one character in two pieces, and halves of a pair as escapes, arrive as they were."""
    text = "Zürich ｜ 漢字 😀"
    chunk = {"choices": [{"text": text, "index": 0, "finish_reason": "stop"}]}
    data = f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
    up.script = sends(*(bytes([byte]) for byte in data.encode()), b"data: [DONE]\n\n")
    assert server.ask(api, True).content == text


@pytest.mark.parametrize("api", PATHS)
def test_no_text_of_a_model_is_an_event(server: Served, up: Upstream, api: str) -> None:
    """Many clients end lines where Unicode does, and not where events do."""
    up.script = sends(piece("High\u2028data: {}\u2029event: x\x85data: [DONE]", "stop"), b"data: [DONE]\n\n")
    with httpx.stream("POST", server.url + PATHS[api], json=body_of(api, True)) as response:
        lines = [*response.iter_lines()]
    data = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    assert {} not in data and "event: x" not in lines
    assert lines.count("data: [DONE]") == (api == "chat")


@pytest.mark.parametrize("api", PATHS)
def test_a_whole_answer_without_a_finish_reason(server: Served, up: Upstream, api: str) -> None:
    """It is no finished answer, however whole a call in it looks."""
    text = '<tool_call>\n{"name": "tide", "arguments": {"city": "Oslo"}}\n</tool_call>'
    body = json.dumps({"choices": [{"index": 0, "text": text, "finish_reason": None}], "usage": USAGE}).encode()
    up.script = sends(body, kind="application/json")
    with pytest.raises(api_errors(), match="broke off"):
        server.ask(api, False)


@ways
def test_compressed_answers(server: Served, up: Upstream, api: str, stream: bool) -> None:
    """What arrives compressed goes out as it is read, with the headers of that."""
    whole = json.dumps({"choices": [{"index": 0, "text": PLAIN, "finish_reason": "stop"}], "usage": USAGE}).encode()
    packed = gzip.compress(piece(PLAIN, "stop") if stream else whole)
    up.script = sends(packed, content_encoding="gzip", content_length=str(len(packed)))
    assert server.ask(api, stream).content == PLAIN


@ways
def test_a_line_without_an_end(server: Served, up: Upstream, api: str, stream: bool) -> None:
    """A hundred megabytes without a newline are given up at the bound."""
    up.gone.clear()

    async def script(peer: Peer) -> None:
        await peer.head(kind="text/event-stream" if stream else "application/json")
        await peer.send(b'data: {"choices": [{"text": "' if stream else b'{"choices": [{"text": "')
        for _ in range(100):
            await peer.send(b"a" * (1 << 20))
        await peer.until_gone()

    up.script = script
    with pytest.raises(api_errors(), match="at most 1048576 bytes"):
        server.ask(api, stream)
    assert up.gone.wait(5)


@pytest.mark.parametrize("api", PATHS)
def test_an_endless_answer(server: Served, up: Upstream, api: str) -> None:
    """It is cut off, and says so."""
    up.gone.clear()

    async def script(peer: Peer) -> None:
        await peer.head()
        while True:
            await peer.send(piece("la " * 99))

    up.script = script
    found = server.ask(api, True)
    assert found.finish == "length" and 100_000 < len(found.content) < 1_000_000
    assert up.gone.wait(5)


@pytest.mark.parametrize("api", PATHS)
def test_a_call_of_the_upstream_that_is_too_long(up: Upstream, api: str) -> None:
    """It is cut off as a text is, and does not run."""
    function = {"name": "tide", "arguments": json.dumps({"city": "la " * 500})}
    call = {"index": 0, "id": "a", "type": "function", "function": function}
    up.script = chat_answer([{"tool_calls": [call]}], {"role": "assistant", "tool_calls": [call]})
    with serving(upstream=up.url, mode="chat", max_answer=1000) as one:
        for stream in (False, True):
            found = one.ask(api, stream)
            assert (found.finish, found.calls, len(found.invalid)) == ("length", [], 1)
            assert len(str(found.invalid)) < 1500


@pytest.mark.parametrize("api", PATHS)
def test_connections_are_used_again(api: str) -> None:
    """After a stream, too, whose last bytes come behind its last event: a client that is quicker gets a second."""
    reply = replace(chat_server.text(PLAIN), keep=True)
    with chat_server.serving([reply] * 8) as found, serving(upstream=found.url, mode="chat") as one:
        for _ in range(8):
            assert one.ask(api, True).content == PLAIN
        assert found.connections < 4


@ways
@pytest.mark.parametrize("kind", ["", "text/plain", "application/octet-stream", "Text/Event-Stream"])
def test_events_under_another_name(server: Served, up: Upstream, api: str, stream: bool, kind: str) -> None:
    """Servers that were written in a hurry name no type; some stream though nobody asked for it."""

    async def script(peer: Peer) -> None:
        named = f"content-type: {kind}\r\n" if kind else ""
        await peer.send(f"HTTP/1.1 200 OK\r\n{named}connection: close\r\n\r\n".encode())
        await peer.send(piece("High tide") + piece(" is at noon.", "stop") + b"data: [DONE]\n\n")

    up.script = script
    assert server.ask(api, stream).content == PLAIN


@ways
def test_others_have_a_turn(up: Upstream, api: str, stream: bool) -> None:
    """An answer that takes long to read holds up nobody, and ends where it is too long, also in one piece."""
    text = "{" * 60_000 + "la " * 20_000
    body = body_of(api, stream) | {"tools": TOOLS}
    if api != "chat":
        body["tools"] = [{"type": "function", **tool["function"]} for tool in TOOLS]
    if api == "messages":
        body["tools"] = [{"name": tool["name"], "input_schema": tool["parameters"]} for tool in body["tools"]]
    app = create_app(ServeOptions(upstream=up.url, max_answer=100_000))

    async def ask() -> tuple[str, int]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            asking = asyncio.ensure_future(client.post(PATHS[api], json=body, timeout=60))
            turns = 0
            while not asking.done():
                await asyncio.sleep(0)
                turns += bool(up.peers)
            return (await asking).text, turns

    up.peers.clear()
    up.script = text_answer(text, len(text))
    said, turns = asyncio.run(ask())
    reason = {"chat": '"finish_reason":"length"', "messages": '"max_tokens"', "responses": '"max_output_tokens"'}[api]
    assert reason in said and turns > 20


@ways
def test_an_upstream_that_is_silent(server: Served, up: Upstream, api: str, stream: bool) -> None:
    """It is given up, before its first word or after."""
    for data in (b"", piece("High")):

        async def script(peer: Peer, data: bytes = data) -> None:
            await peer.head(kind="text/event-stream" if stream else "application/json")
            await peer.send(data)
            await peer.until_gone()

        up.script = script
        with pytest.raises(api_errors(), match="silent for too long"):
            server.ask(api, stream)


@ways
def test_an_answer_that_takes_too_long(up: Upstream, api: str, stream: bool) -> None:
    """A client is told, also in the middle of a stream, and the upstream is cancelled."""
    ended = threading.Event()

    async def script(peer: Peer) -> None:
        await peer.head(kind="text/event-stream" if stream else "application/json")
        await peer.send(piece("High"))
        await peer.until_gone()
        ended.set()

    up.script = script
    with serving(upstream=up.url, max_seconds=0.5) as one, pytest.raises(api_errors(), match="took too long"):
        one.ask(api, stream)
    assert ended.wait(5)


@ways
def test_a_client_that_goes(up: Upstream, api: str, stream: bool) -> None:
    """The upstream is cancelled at once, before the first word and after, streamed or not."""
    with serving(upstream=up.url) as one:
        for data in (b"", piece("High")):
            begun, ended = threading.Event(), threading.Event()

            async def script(peer: Peer, data: bytes = data, begun: Any = begun, ended: Any = ended) -> None:
                if data:
                    await peer.head(kind="text/event-stream" if stream else "application/json")
                    await peer.send(data)
                begun.set()
                await peer.until_gone()
                ended.set()

            up.script = script
            address = one.url.removeprefix("http://").split(":")
            with socket.create_connection((address[0], int(address[1]))) as client:
                body = json.dumps(body_of(api, stream)).encode()
                head = f"POST {PATHS[api]} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(body)}\r\n\r\n"
                client.sendall(head.encode() + body)
                assert begun.wait(5)
                if data and stream:
                    assert client.recv(10_000)
            assert ended.wait(5)


def test_a_client_that_takes_nothing(server: Served, up: Upstream) -> None:
    """One that stalls does not hold its place for ever."""
    ended = threading.Event()

    async def script(peer: Peer) -> None:
        await peer.head()
        try:
            while True:
                await peer.send(piece("", None).replace(b'"text": ""', b'"text": "' + b"x" * 50 + b'"') * 20)
        finally:
            ended.set()

    up.script = script
    address = server.url.removeprefix("http://").split(":")
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.connect((address[0], int(address[1])))
        body = json.dumps(body_of("chat", True)).encode()
        head = f"POST {PATHS['chat']} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(body)}\r\n\r\n"
        client.sendall(head.encode() + body)
        assert ended.wait(10)


@pytest.mark.parametrize("api", PATHS)
def test_signs_of_life(up: Upstream, api: str) -> None:
    """A silent stream is kept alive, and official clients take no notice."""
    waiting = asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def script(peer: Peer) -> None:
        loops.append(asyncio.get_running_loop())
        await peer.head()
        await waiting.wait()
        await peer.send(piece(PLAIN, "stop"))

    up.script = script
    with serving(upstream=up.url, keep_alive=0.05) as one:
        with httpx.stream("POST", one.url + PATHS[api], json=body_of(api, True), timeout=10) as response:
            lines = response.iter_lines()
            for line in lines:
                if line in (": keep-alive", "event: ping"):
                    break
            loops[0].call_soon_threadsafe(waiting.set)
            assert any("High tide" in line for line in lines)
        assert one.ask(api, True).content == PLAIN


@pytest.mark.parametrize("api", PATHS)
def test_bodies_over_the_limit(server: Served, api: str) -> None:
    """Also those whose length nobody told."""

    def pieces() -> Iterator[bytes]:
        yield b'{"model": "'
        for _ in range(30):
            yield b"a" * 10_000

    for content in (b"a" * 300_000, pieces()):
        response = httpx.post(server.url + PATHS[api], content=content)
        assert response.status_code == 413 and "at most 200000 bytes" in response.text


def test_too_many_requests(server: Served, up: Upstream) -> None:
    """They are told to come again, each API in its way."""
    begun, release = threading.Semaphore(0), threading.Event()

    async def script(peer: Peer) -> None:
        begun.release()
        await asyncio.to_thread(release.wait, 10)
        await text_answer(PLAIN)(peer)

    up.script = script
    threads = [threading.Thread(target=httpx.post, args=(server.url + PATHS["chat"],),
                                kwargs={"json": body_of("chat", False), "timeout": 20}) for _ in range(4)]  # fmt: skip
    with serving(upstream=up.url, max_requests=4) as one:
        for thread in threads:
            thread._kwargs["timeout"] = 20  # type: ignore[attr-defined]
            thread._args = (one.url + PATHS["chat"],)  # type: ignore[attr-defined]
            thread.start()
        for _ in threads:
            assert begun.acquire(timeout=5)
        for api, status in (("chat", 503), ("messages", 529), ("responses", 503)):
            response = httpx.post(one.url + PATHS[api], json=body_of(api, False))
            assert (response.status_code, response.headers["retry-after"]) == (status, "1")
        release.set()
        for thread in threads:
            thread.join(10)
        assert one.ask("chat", False).content == PLAIN


NO_SCHEMA = {"type": "function", "function": {"name": "f", "parameters": 3}}
BAD: list[tuple[str, Any, str]] = [
    ("chat", {"messages": []}, "model"),
    ("chat", {"model": 3}, "model"),
    ("chat", {"messages": "a"}, "messages"),
    ("chat", {"messages": [], "tools": None}, "messages"),
    ("messages", {"messages": []}, "messages"),
    ("responses", {"input": []}, "input"),
    ("responses", {"prompt": {"id": "pmpt_1"}}, "prompt"),
    ("chat", {"messages": [{"role": "god", "content": "a"}]}, "messages[0].role"),
    ("chat", {"messages": [{"role": "user", "content": 3}]}, "messages[0].content"),
    ("chat", {"messages": [{"role": "tool", "tool_call_id": "a", "content": "b"}]}, "messages[0]"),
    ("chat", {"tools": [NO_SCHEMA]}, "tools[0].function.parameters"),
    ("chat", {"tools": [{"type": "web_search"}]}, "tools[0].type"),
    ("chat", {"tools": "f"}, "tools"),
    ("chat", {"tool_choice": {"type": "function", "function": {"name": "nobody"}}}, "tool_choice"),
    ("chat", {"tool_choice": "required", "tools": None}, "tools"),
    ("chat", {"tool_choice": "maybe"}, "tool_choice"),
    ("chat", {"n": 0}, "n"),
    ("chat", {"n": "2"}, "n"),
    ("chat", {"stream": "yes"}, "stream"),
    ("chat", {"max_tokens": -1}, "max_tokens"),
    ("messages", {"messages": [{"role": "system", "content": "a"}]}, "messages[0].role"),
    ("messages", {"tool_choice": {"type": "sometimes"}}, "tool_choice.type"),
    ("messages", {"max_tokens": "9"}, "max_tokens"),
    ("messages", {"messages": [{"role": "user", "content": [{"type": "hologram"}]}]}, "messages[0].content[0].type"),
    ("responses", {"previous_response_id": "resp_1"}, "previous_response_id"),
    ("responses", {"input": [{"type": "function_call_output", "output": "x"}]}, "input[0]"),
    ("responses", {"input": 3}, "input"),
    ("responses", {"background": True}, "background"),
    ("responses", {"tools": [{"type": "file_search"}]}, "tools[0].type"),
]  # fmt: skip


@pytest.mark.parametrize(("api", "change", "where"), BAD, ids=[f"{a}-{w}-{i}" for i, (a, _, w) in enumerate(BAD)])
def test_requests_that_are_none(server: Served, api: str, change: Any, where: str) -> None:
    """The API's own 400, with a sentence that says where."""
    body = {
        **body_of(api, False),
        "tools": None if api == "messages" else [*TOOLS] if api == "chat" else None,
        **change,
    }
    if change == {"messages": []}:
        del body["model"]
    response = httpx.post(server.url + PATHS[api], json={key: one for key, one in body.items() if one is not None})
    error = response.json()["error"]
    assert response.status_code == 400, response.text
    assert where in error["message"] or where == error.get("param"), error
    assert error["type"] == "invalid_request_error"
    assert "Traceback" not in error["message"] and error["message"].startswith(("expected", "the request"))


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"3", b"\xff", b"[" * 100_000, b'{"model": "\\ud800"}', b"1" * 9_000]
)
@pytest.mark.parametrize("api", PATHS)
def test_bodies_that_are_no_json(server: Served, api: str, data: bytes) -> None:
    """A sentence, and no traceback."""
    response = httpx.post(server.url + PATHS[api], content=data)
    assert response.status_code == 400
    assert (response.json().get("type") == "error") == (api == "messages")
    assert (data == b"\xff") == ("byte 0xff at offset 0" in response.json()["error"]["message"])


CALL = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": '{"port": "Brest"}'}}
SCHEMA = {"type": "object", "properties": {"port": {"type": "string"}}}
FULL: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "?"}]},
            {"role": "assistant", "content": None, "reasoning_content": "Hm.", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "noon"},
        ],
        "tools": [{"type": "function", "function": {"name": "tide", "parameters": SCHEMA}}],
        "tool_choice": "auto", "n": 1, "stop": ["x"], "max_tokens": 9, "stream_options": {"include_usage": True},
        "response_format": {"type": "text"}, "chat_template_kwargs": {"enable_thinking": False},
    },
    "/v1/messages": {
        "max_tokens": 9, "system": [{"type": "text", "text": "Be brief."}], "tool_choice": {"type": "auto"},
        "messages": [
            {"role": "user", "content": "?"},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "s"},
                                              {"type": "tool_use", "id": "t1", "name": "tide", "input": {"a": 1}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1",
                                          "content": [{"type": "text", "text": "noon"}], "is_error": False}]},
        ],
        "tools": [{"name": "tide", "input_schema": SCHEMA}], "stop_sequences": ["x"], "thinking": {"type": "disabled"},
    },
    "/v1/responses": {
        "instructions": "Be brief.", "text": {"format": {"type": "text"}}, "reasoning": {"effort": "none"},
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "?"}]},
            {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Hm."}]},
            {"type": "function_call", "id": "fc", "call_id": "c1", "name": "tide", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "noon"},
        ],
        "tools": [{"type": "function", "name": "tide", "parameters": SCHEMA}], "max_output_tokens": 9,
    },
}  # fmt: skip
FULL["/v1/messages/count_tokens"] = FULL["/v1/messages"]
ODD = [None, "", [], {}, -1, 0, 10**400, 1e308, "x" * 50, "\ud800", "\0", True, [[[]]], [None], {"a": None},
       "<|im_end|>", "auto", "required", {"type": "text"}, {"type": "image_url", "image_url": {}}]  # fmt: skip


def mutated(value: Any, random: Random) -> Any:
    """A value of which a part is gone, or is another one."""
    if not isinstance(value, dict | list) or not value or random.random() < 0.15:
        return random.choice(ODD)
    made = value.copy()
    key = random.choice([*value]) if isinstance(value, dict) else random.randrange(len(value))
    if random.random() < 0.1:
        del made[key]
    else:
        made[key] = mutated(value[key], random)
    return made


@pytest.mark.parametrize("path", FULL)
def test_requests_that_are_odd_are_answered(tmp_path: Any, path: str) -> None:
    """Whatever a request holds, wherever: an answer, or an error of the client, and no fault of the server."""
    file = tmp_path / "answers.jsonl"
    file.write_text(json.dumps({"text": PLAIN}))
    app, random = create_app(toolect.serve.ServeOptions(replay=file, validate="report")), Random(shares.seed)

    async def ask() -> None:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            for number in range(150):
                body = FULL[path] | {"model": random.choice([MODEL, "nobody/knows"]), "stream": number % 3 == 0}
                for _ in range(random.choice((1, 1, 2))):
                    body = mutated(body, random)
                response = await client.post(path, content=json.dumps(body).encode())
                assert response.status_code != 500 and "has a fault" not in response.text, (body, response.text)

    asyncio.run(ask())


def test_a_model_that_nobody_knows(up: Upstream) -> None:
    """Text needs a chat: which one is asked for in a sentence."""
    with serving(upstream=up.url, mode="text") as one:
        for api, stream in WAYS:
            with pytest.raises(api_errors("NotFoundError"), match="--chat"):
                one.ask(api, stream, model="someone/harbour-1b")


def test_who_may_ask(server: Served) -> None:
    """Neither another name of the address, nor a page of another origin; a page of its own may."""
    body = body_of("chat", False)
    for headers in ({"host": "evil.example"}, {"origin": "https://evil.example"}, {"host": "evil.example:80"}):
        assert httpx.post(server.url + PATHS["chat"], json=body, headers=headers).status_code == 403
        assert httpx.get(server.url + "/v1/models", headers=headers).status_code == 403
    assert httpx.get(server.url + "/healthz", headers={"origin": server.url}).json()["status"] == "ok"
    for host in ("localhost", "LocalHost"):
        name = server.url.replace("127.0.0.1", host)
        assert httpx.get(server.url + "/healthz", headers={"host": name.removeprefix("http://")}).status_code == 200


def test_methods_and_paths(server: Served) -> None:
    """OPTIONS and HEAD are answered, and what there is not has a sentence."""
    for path in PATHS.values():
        assert httpx.options(server.url + path).status_code == 204
        assert httpx.head(server.url + path).status_code == 204
        assert httpx.get(server.url + path).status_code == 405
    assert httpx.head(server.url + "/healthz").status_code == 200
    missing = httpx.post(server.url + "/v1/completions/x", json={})
    assert missing.status_code == 404 and "below /v1, at /chat/comp" in missing.json()["error"]["message"]
    there = httpx.get(server.url + "/v1/models", headers={"anthropic-version": "1"})
    assert there.status_code == 404 and there.json()["type"] == "error"  # the upstream has none


def test_fields_that_an_upstream_does_not_know(up: Upstream) -> None:
    """They are left out from then on, the rest of the request stays."""

    async def script(peer: Peer) -> None:
        for name in ("skip_special_tokens", "stream_options"):
            if name in peer.body:
                error = json.dumps({"error": {"message": f"Unrecognized request argument: {name}"}}).encode()
                await sends(error, status=400, kind="application/json")(peer)
                return
        await text_answer(PLAIN)(peer)

    up.script = script
    with serving(upstream=up.url) as one:
        assert one.ask("chat", True).content == PLAIN
        before = len(up.peers)
        assert one.ask("chat", True).content == PLAIN
        assert len(up.peers) == before + 1


def test_fields_that_a_refusal_only_quotes(up: Upstream) -> None:
    """A request that is refused for another reason is no reason to ask all others without special tokens."""

    async def script(peer: Peer) -> None:
        if peer.body["temperature"] > 2:
            error = json.dumps({"detail": [{"msg": "too hot", "input": peer.body}]}).encode()
            await sends(error, status=400, kind="application/json")(peer)
            return
        await text_answer(PLAIN)(peer)

    up.script = script
    with serving(upstream=up.url) as one:
        with pytest.raises(openai.BadRequestError, match="too hot"):
            one.ask("chat", True, temperature=9)
        assert one.ask("chat", True, temperature=1).content == PLAIN
        assert up.asked["skip_special_tokens"] is False


def test_an_upstream_that_is_not_ready(up: Upstream) -> None:
    """What it serves is found out when it is."""
    up.pages["/v1/models"] = 503
    up.script = sends(b"loading", status=503, kind="text/plain")
    try:
        with serving(upstream=up.url) as one:
            with pytest.raises(openai.InternalServerError, match="loading"):
                one.ask("chat", False, model="local")
            up.pages["/v1/models"] = {"data": [{"id": "local", "root": MODEL}]}
            up.script = text_answer(PLAIN)
            assert one.ask("chat", False, model="local").content == PLAIN
            assert up.asked["prompt"]
    finally:
        up.pages.clear()


def test_values_that_are_nested_deeply(server: Served, up: Upstream) -> None:
    """Too deeply for a prompt: an error of the client, not of the server."""
    up.script = text_answer(PLAIN)
    for depth in (100, 900, 5000):
        text = '{"a":' * depth + "1" + "}" * depth
        call = {"id": "a", "type": "function", "function": {"name": "tide", "arguments": text}}
        history = [{"role": "user", "content": "?"}, {"role": "assistant", "content": None, "tool_calls": [call]},
                   {"role": "tool", "tool_call_id": "a", "content": "noon"}]  # fmt: skip
        response = httpx.post(server.url + PATHS["chat"], json={"model": MODEL, "messages": history})
        assert response.status_code in (200, 400) and "deep" in response.text or response.status_code == 200


def test_an_upstream_without_completions_of_text(up: Upstream) -> None:
    """It is asked by chats, from then on at once."""

    async def script(peer: Peer) -> None:
        if peer.path == "/v1/completions":
            await sends(b"404 page not found", status=404, kind="text/plain")(peer)
        else:
            await text_answer(PLAIN)(peer)

    up.script = script
    with serving(upstream=up.url) as one:
        for api, stream in WAYS:
            assert one.ask(api, stream).content == PLAIN
    assert sum(peer.path == "/v1/completions" for peer in up.peers[-7:]) == 1


def test_options_that_contradict(tmp_path: Any) -> None:
    """One sentence each."""
    for options, why in (({}, "neither"), ({"upstream": "http://a/v1", "replay": tmp_path}, "both"),
                         ({"upstream": "ftp://a"}, "URL")):  # fmt: skip
        with pytest.raises(ValueError, match=why):
            toolect.serve.ServeOptions(**options)


@ways
def test_a_fault_of_ones_own(api: str, stream: bool) -> None:
    """A client is answered in its API's form, and no word of what was said or of the code leaks."""

    class Faulty(HttpUpstream):
        async def batches(self, path: str, body: Any, headers: Any) -> Any:  # noqa: ARG002  # as an upstream's
            raise KeyError("secret")
            yield

    options = toolect.serve.ServeOptions(upstream="http://127.0.0.1:9/v1")
    with app_at(create_app(options, Faulty(options))) as url:
        one = Served(url)
        with pytest.raises(api_errors(), match="the server has a fault") as raised:
            one.ask(api, stream)
        one.openai.close()
        one.anthropic.close()
    assert "secret" not in str(raised.value)


def test_headers_that_no_request_has(server: Served, up: Upstream) -> None:
    """A key with other letters than those of headers is not passed on, and harms nothing."""
    up.script = text_answer(PLAIN)
    for name in ("authorization", "x-api-key"):
        headers = {name.encode(): "Bearer schlüssel".encode()}
        response = httpx.post(server.url + PATHS["chat"], json=body_of("chat", False), headers=headers)
        assert response.status_code == 200
        assert "authorization" not in up.peers[-1].headers
