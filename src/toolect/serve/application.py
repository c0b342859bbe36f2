"""The application: routes, and who may ask."""

from __future__ import annotations

from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from toolect._play.app import routes as playground
from toolect.agent.completions_client import encode
from toolect.serve.api_errors import ApiName, RequestError
from toolect.serve.endpoint import Endpoint, Service, TokenCount
from toolect.serve.model_lookup import ModelLookup
from toolect.serve.serve_metrics import ServeMetrics
from toolect.serve.serve_options import ServeOptions
from toolect.serve.upstream import HttpUpstream, ReplayUpstream, Upstream, ask


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
            host, origin = headers.get(b"host", "").lower(), headers.get(b"origin")
            name = host if host.endswith("]") else host.rpartition(":")[0] or host
            why = ""
            if "*" not in self._hosts and name not in self._hosts:
                why = f"expected a host name of this server, got {host[:80]!r}: name it by --allow-host"
            elif origin and urlsplit(origin).netloc.lower() != host and not {"*", origin} & {*self._origins}:
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

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await asked.aclose()
        service.models.close()

    routes = [
        Route("/v1/chat/completions", Endpoint(service, "chat"), methods=["POST"]),
        Route("/v1/messages", Endpoint(service, "messages"), methods=["POST"]),
        Route("/v1/responses", Endpoint(service, "responses"), methods=["POST"]),
        Route("/v1/messages/count_tokens", TokenCount(service, "messages"), methods=["POST"]),
        Route("/v1/models", _models),
        Route("/v1/models/{name:path}", _models),
        Route("/healthz", _healthz),
        Route("/metrics", _metrics),
        *playground(editing=options.play, loopback=False),  # whose visitors `Visitors` looks at
    ]
    middleware = [
        Middleware(CORSMiddleware, allow_origins=[*options.origins], allow_methods=["*"], allow_headers=["*"]),
        Middleware(Visitors, hosts=options.hosts, origins=options.origins),
    ]
    handlers: dict[Any, Any] = {404: _not_found, 405: _not_found, RequestError: _refused}
    app = Starlette(routes=routes, middleware=middleware, lifespan=lifespan, exception_handlers=handlers)
    app.state.service = service
    return app


async def _not_found(request: Request, error: Any) -> Response:
    """Response to an unknown path or method, which names the known ones."""
    allowed = (error.headers or {}).get("Allow")  # of a path that has no such method
    headers = {"allow": f"{allowed or 'GET, HEAD, POST'}, OPTIONS"}
    if request.method == "OPTIONS" or allowed and request.method == "HEAD":
        return Response(status_code=204, headers=headers)
    path = request.url.path[:80]
    there = "the API is below /v1, at /chat/completions, /messages and /responses"
    why = f"{path} takes no {request.method}" if allowed else f"there is no {path}: {there}"
    refusal = RequestError(error.status_code, why).body(_api_of(request))
    return JSONResponse(refusal, error.status_code, allowed and headers)


def _api_of(request: Request) -> ApiName:
    return "messages" if "anthropic-version" in request.headers else "chat"


async def _refused(request: Request, error: Any) -> Response:
    api = _api_of(request)
    return JSONResponse(error.body(api), error.status_for(api), error.headers())


async def _healthz(request: Request) -> Response:
    """The status of the server, and its open requests."""
    return JSONResponse({"status": "ok", "open": request.app.state.service.open})


async def _metrics(request: Request) -> Response:
    """The metrics."""
    page = request.app.state.service.metrics.page()
    return Response(page, media_type="text/plain; version=0.0.4; charset=utf-8")


async def _models(request: Request) -> Response:
    """The upstream's models, or the one of a name. Raises RequestError."""
    found = await ask(request.app.state.service.upstream, "/models", request.headers)
    if (name := request.path_params.get("name")) is not None:
        listed = found.get("data")
        models = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        found = next((model for model in models if model.get("id") == name), None)
        if found is None:
            raise RequestError(404, f"the upstream has no model {name[:80]!r}", code="model_not_found")
    return Response(encode(found), media_type="application/json")
