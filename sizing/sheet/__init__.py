"""The sheet that a customer takes along: a PDF of two pages, a workbook that recalculates, a page that opens offline.

>>> import sizing
>>> made = sheet(Request(sizing.size(sizing.Scenario()), customer="Example Ltd"), "html")
>>> made.startswith(b"<!doctype html>")
True
"""

from __future__ import annotations

import importlib
from typing import Literal

from sizing.errors import SizingError
from sizing.sheet.content import Content
from sizing.sheet.request import Request

Kind = Literal["pdf", "xlsx", "html"]
KINDS: dict[str, str] = {
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "html": "text/html",
}
"""Each kind of file with its media type."""


def sheet(request: Request, kind: Kind) -> bytes:
    """One file, made in memory; the same request gives the same bytes.

    SizingError: a sign that the PDF's typeface lacks, or a library that is not installed.
    """
    content = Content(request)
    try:
        room = importlib.import_module(f"sizing.sheet.{kind}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("sizing"):
            raise
        raise SizingError("sheet_library", input="sheet", library=error.name, file=kind.upper()) from error
    made: bytes = getattr(room, kind)(content)
    return made


def file_name(request: Request, kind: Kind) -> str:
    """A name for the file, without anything a file system or a header could take amiss.

    >>> import sizing
    >>> file_name(Request(sizing.size(sizing.Scenario())), "pdf")
    'sizing-Llama-3.3-70B-Instruct-FP8-4x-rtx-pro-6000-server.pdf'
    """
    scenario = request.sizing.scenario
    model = scenario.checkpoint.split("/")[-1]
    kept = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-._") else "-" for sign in model)
    return f"sizing-{kept}-{scenario.cards}x-{scenario.card}.{kind}"


__all__ = ["KINDS", "Kind", "Request", "file_name", "sheet"]
