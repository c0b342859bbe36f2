"""A server between clients and a model: OpenAI, Anthropic and Responses clients in front, completions behind.

`create_app` makes an ASGI application of `ServeOptions`; `toolect serve` runs it. It needs the extra `serve`.
Requests are logged by `toolect.serve`, one line each, without what they say.
"""

from toolect import _extras as extras

try:
    from toolect.serve.application import create_app
except ModuleNotFoundError as error:
    raise extras.MissingExtraError(error.name or "a package", "serve") from None
from toolect.serve.serve_options import ServeOptions

__all__ = ["ServeOptions", "create_app"]
