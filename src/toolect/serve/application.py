"""The application: routes, and who may ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from toolect._message import Json
from toolect._play.app import routes as playground
from toolect.serve.api_errors import ApiName, RequestError
from toolect.serve.api_requests import read_request
from toolect.serve.api_writers import BYTES_A_TOKEN
from toolect.serve.endpoint import Endpoint, Service, chat_body, fault, read_json
from toolect.serve.model_lookup import ModelLookup
from toolect.serve.replay import ReplayUpstream
from toolect.serve.serve_metrics import ServeMetrics
from toolect.serve.serve_options import ServeOptions
from toolect.serve.text_prompts import write_prompt
from toolect.serve.upstream import HttpUpstream, Upstream, encode


class Visitors:
    """Middleware that answers those only who ask under a name of the server, from its own pages or from none.

    A web page must not reach a server on its visitor's machine by a name that it made lead there.
    """

    def __init__(self, app: Any, hosts: tuple[str, ...], origins: tuple[str, ...]) -> None:
        self._app, self._hosts, self._origins = app, hosts, origins

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http":
            headers = {key: value.decode("latin-1") for key, value in scope["headers"]}
            host, origin = headers.get(b"host", ""), headers.get(b"origin")
            name = host if host.endswith("]") else host.rpartition(":")[0] or host
            why = ""
            if "*" not in self._hosts and name not in self._hosts:
                why = f"expected a host name of this server, got {host[:80]!r}: name it by --allow-host"
            elif origin and urlsplit(origin).netloc != host and not {"*", origin} & {*self._origins}:
                why = f"expected no web page of another origin, got {origin[:80]!r}: name it by --allow-origin"
            if why:
                await JSONResponse(RequestError(403, why).body("chat"), 403)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def create_app(options: ServeOptions, upstream: Upstream | None = None) -> Starlette:
    """The application, to be run or mounted. `upstream` is asked instead of the one that the options name.

    Raises ToolectError and OSError for what the options name and is not there.
    """
    asked = upstream or (ReplayUpstream(options.replay) if options.replay else HttpUpstream(options))
    service = Service(options, asked, ModelLookup(options, asked), ServeMetrics())
    pages = _Pages(service)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await asked.aclose()
        service.models.close()

    routes = [
        Route("/v1/chat/completions", Endpoint(service, "chat"), methods=["POST"]),
        Route("/v1/messages", Endpoint(service, "messages"), methods=["POST"]),
        Route("/v1/responses", Endpoint(service, "responses"), methods=["POST"]),
        Route("/v1/messages/count_tokens", pages.answer(pages.count_tokens), methods=["POST"]),
        Route("/v1/models", pages.answer(pages.models)),
        Route("/v1/models/{name:path}", pages.answer(pages.models)),
        Route("/healthz", pages.healthz),
        Route("/metrics", pages.metrics),
        *playground(editing=options.play, loopback=False),  # whose visitors `Visitors` looks at
    ]
    middleware = [
        Middleware(CORSMiddleware, allow_origins=[*options.origins], allow_methods=["*"], allow_headers=["*"]),
        Middleware(Visitors, hosts=options.hosts, origins=options.origins),
    ]
    handlers: dict[Any, Any] = {404: _not_found, 405: _not_found}
    app = Starlette(routes=routes, middleware=middleware, lifespan=lifespan, exception_handlers=handlers)
    app.state.service = service
    return app


async def _not_found(request: Request, error: Any) -> Response:
    """What there is, for what there is not."""
    allowed = (error.headers or {}).get("Allow")  # of a path that has no such method
    headers = {"allow": f"{allowed or 'GET, HEAD, POST'}, OPTIONS"}
    if request.method == "OPTIONS" or allowed and request.method == "HEAD":
        return Response(status_code=204, headers=headers)
    path = request.url.path[:80]
    why = f"{path} takes no {request.method}" if allowed else f"there is no {path}: the API is below /v1"
    api: ApiName = "messages" if "anthropic-version" in request.headers else "chat"
    return JSONResponse(RequestError(error.status_code, why).body(api), error.status_code, allowed and headers)


class _Pages:
    """The smaller endpoints."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def answer(self, make: Callable[[Request], Awaitable[Json]]) -> Callable[[Request], Awaitable[Response]]:
        """The handler that answers what `make` gives, or the error that it raises."""

        async def handler(request: Request) -> Response:
            try:
                return Response(encode(await make(request)), media_type="application/json")
            except RequestError as raised:
                error = raised
            except Exception as raised:  # a client is answered whatever happens here
                error = fault(raised)
            api: ApiName = "messages" if "anthropic-version" in request.headers else "chat"
            return JSONResponse(error.body(api), error.status_for(api), error.headers())

        return handler

    async def healthz(self, _: Request) -> Response:
        """That it is there."""
        return JSONResponse({"status": "ok", "open": self._service.open})

    async def metrics(self, _: Request) -> Response:
        """The metrics."""
        return Response(self._service.metrics.page(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def models(self, request: Request) -> Json:
        """The upstream's models, or the one of a name."""
        found = await self._service.upstream.ask("/models", request.headers)
        name, listed = request.path_params.get("name"), found.get("data")
        if name is None:
            return found
        for model in listed if isinstance(listed, list) else ():
            if isinstance(model, dict) and model.get("id") == name:
                return model
        raise RequestError(404, f"the upstream has no model {name[:80]!r}", code="model_not_found")

    async def count_tokens(self, request: Request) -> Json:
        """The tokens of a request of Anthropic's API: as the upstream counts them, else by the bytes."""
        service, body = self._service, b""
        async for piece in request.stream():
            body += piece
            if len(body) > service.options.max_body:
                raise RequestError(413, f"expected a body of at most {service.options.max_body} bytes, got more")
        asked = read_request("messages", read_json(body))
        form = await service.models.form(asked.model, request.headers)
        if form.chat is None:
            size = len(encode([chat_body(asked)["messages"], asked.tools]))
            return {"input_tokens": -(-size // BYTES_A_TOKEN), "estimated": True}
        text = (await asyncio.to_thread(write_prompt, asked, form)).text
        try:
            query = {"model": asked.model, "prompt": text, "content": text, "add_special_tokens": False}
            found = await service.upstream.ask("/tokenize", request.headers, query)
            tokens = found.get("tokens")
            count = found.get("count") or (len(tokens) if isinstance(tokens, list) else None)
            if type(count) is int:
                return {"input_tokens": count}
        except RequestError:
            pass  # it counts none
        return {"input_tokens": -(-len(text.encode()) // BYTES_A_TOKEN), "estimated": True}
