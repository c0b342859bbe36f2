"""Playground routes: the page, its files, and one endpoint for each view.

The page asks nobody else: its policy of content forbids it. Views are computed in threads, a few at a time; what
compiles a visitor's spec exists only where `editing` is allowed, and runs in a process of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from urllib.parse import urlsplit

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from toolect._play import spec_process, view_models
from toolect._play.view_models import Asked, View

MAX_BODY = 24 << 20
"""Bytes of a request. Beyond it: refused."""
AT_ONCE = 4
"""Views that are computed at one time. Beyond it: they wait."""
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "json": "application/json"}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
_FILES = ("index.html", "play.css", "play.js", "views.js", "link.js", "samples.json")


def routes(editing: bool = True, given: str = "", loopback: bool = True) -> list[BaseRoute]:
    """The page at `/` and what it asks for below `/play/`, to be part of any Starlette application.

    With `editing` a visitor may edit a spec, which is compiled here. `given` is the text that the page begins with.
    With `loopback` only requests that name this machine as their host are answered, which keeps other pages' names out.
    """
    views = {name: partial(_in_thread, view) for name, view in view_models.VIEWS.items()}
    if editing:
        views["spec"] = partial(_in_thread, spec_process.examine)
    start: View = {"editing": editing, "given": given, **view_models.names()}
    limit = asyncio.Semaphore(AT_ONCE)

    async def page(request: Request) -> Response:
        name = request.path_params.get("file", "index.html")
        if name not in _FILES:
            return _refused(404, "no such file")
        text = files(__package__).joinpath("static", name).read_bytes()
        return Response(text, media_type=_TYPES[name.rpartition(".")[2]], headers=_HEADERS)

    async def begin(_: Request) -> Response:
        return JSONResponse(start, headers=_HEADERS)

    async def answer(request: Request) -> Response:
        view = views.get(request.path_params["view"])
        if view is None:
            return _refused(404, "expected one of " + ", ".join(views))
        if why := _foreign(request, loopback):
            return _refused(403, why)
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BODY:
                return _refused(413, f"expected a request of at most {MAX_BODY:,} bytes")
        try:
            asked = msgspec.json.decode(bytes(body), type=Asked)
            async with limit:
                done = await view(asked)
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            return _refused(400, str(error)[:2000])
        return Response(msgspec.json.encode(done), media_type="application/json", headers=_HEADERS)

    return [
        Route("/", page),
        Route("/play/start", begin),
        Route("/play/files/{file}", page),
        Route("/play/{view}", answer, methods=["POST"]),
    ]


def application(editing: bool = True, given: str = "", loopback: bool = True) -> Starlette:
    """The page as an application of its own. Arguments as for `routes`."""
    return Starlette(routes=routes(editing, given, loopback))


async def _in_thread(view: Callable[[Asked], View], asked: Asked) -> View:
    return await asyncio.to_thread(view, asked)


def _foreign(request: Request, loopback: bool) -> str:
    """Why a request is not one of the page's own; empty for one that is."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        return "expected a request of application/json"
    host = urlsplit(f"//{request.headers.get('host', '')}")
    if loopback and host.hostname not in _LOOPBACK:
        return "expected a request to this machine"
    origin = request.headers.get("origin")
    return "" if origin is None or urlsplit(origin).netloc == host.netloc else "expected a request of this page"


def _refused(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status, headers=_HEADERS)
