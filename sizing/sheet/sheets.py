"""The sheet that a customer takes along: a PDF of two pages, a workbook that recalculates, a page that opens offline.

>>> import sizing
>>> made = sheet(Request(sizing.answer(sizing.Scenario()), customer="Example Ltd"), "html")
>>> made.startswith(b"<!doctype html>")
True
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Literal

from sizing.base.errors import extra
from sizing.sheet.content import Content
from sizing.sheet.one_model import ModelContent
from sizing.sheet.request import Request, StepCounter, Told
from sizing.sheet.services import SharedContent

Kind = Literal["pdf", "xlsx", "html"]
KINDS: dict[str, str] = {
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "html": "text/html",
}
"""Each kind of file with its media type."""

_PARTS = ("figures", "notes", "steps", "parts", "table")


def sheet(request: Request, kind: Kind, progress: Told | None = None) -> bytes:
    """One file, made in memory; the same request gives the same bytes.

    progress: told how many of how many steps are done, some ten times; what it raises ends the work.
    Runs in any thread: nothing is shared between two sheets but what is read. SizingError: a sign that the PDF's
    typeface lacks, or a library that is not installed.
    """
    content = _content(request)
    room = prepare(kind)
    count = StepCounter(progress, len(_PARTS) + room.STEPS)
    for part in _PARTS:
        getattr(content, part)
        count.step()
    made: bytes = getattr(room, kind)(content, count)
    return made


def prepare(kind: Kind) -> ModuleType:
    """Load what a kind of file is made with, which takes longer than making one. SizingError where it is missing."""
    with extra("sheet"):
        return importlib.import_module(f"sizing.sheet.{kind}")


def file_name(request: Request, kind: Kind) -> str:
    """A name for the file in the request's language, without anything a file system or a header could take amiss.

    >>> import sizing
    >>> file_name(Request(sizing.answer(sizing.Scenario())), "pdf")
    'sizing-Llama-3.3-70B-Instruct-FP8-4x-rtx-pro-6000-server.pdf'
    """
    stem = _content(request).file_stem
    kept = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-._") else "-" for sign in stem)
    return f"{kept[:_LONGEST_STEM].strip('.-')}.{kind}"


_LONGEST_STEM = 150


def _content(request: Request) -> Content:
    return SharedContent(request) if request.shared else ModelContent(request)
