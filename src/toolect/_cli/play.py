"""`toolect play`: the playground, a page on which texts are read as they are typed."""

from __future__ import annotations

import webbrowser

import click

from toolect._cli.input_files import read
from toolect._cli.terminal import emit
from toolect._play.view_models import MAX_TEXT


@click.command()
@click.argument("file", required=False)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Port of the page; a free one else."
)
@click.option("--no-browser", is_flag=True, help="Print the page's address, and open no browser.")
def command(file: str | None, port: int, no_browser: bool) -> None:
    """Open a page that shows how answers are read, as they are typed.

    It begins with the text of FILE. The page and all that it asks for come from this machine, and from nowhere else;
    it ends with Ctrl-C.
    """
    given = read(file, MAX_TEXT) if file else ""
    import uvicorn

    from toolect._play.app import application

    config = uvicorn.Config(application(given=given), host="127.0.0.1", port=port, log_level="warning")
    listening = config.bind_socket()
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
    emit(f"the playground is at {address}\n")
    if not no_browser:
        webbrowser.open(address)
    uvicorn.Server(config).run(sockets=[listening])
