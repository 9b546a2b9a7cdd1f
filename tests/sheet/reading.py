"""What stands in the files of a sheet, read back by programs that did not write them."""

from __future__ import annotations

import html
import io
import re
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pypdf
import pytest


def pdf_text(made: bytes) -> str:
    """All text of a PDF, with lines run together."""
    reader = pypdf.PdfReader(io.BytesIO(made))
    return " ".join(" ".join(page.extract_text() for page in reader.pages).split())


def html_text(made: bytes) -> str:
    """What a reader of the page sees, without its style, with lines run together."""
    body = re.sub(r"<style>.*?</style>", "", made.decode(), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def recalculated(made: bytes) -> dict[str, list[tuple[Any, ...]]]:
    """Rows of every page of a workbook by its name, after LibreOffice has worked out every formula anew.

    Skips the test where LibreOffice is not installed.
    """
    book = openpyxl.load_workbook(io.BytesIO(work_out(blank(made))), data_only=True)
    return {page.title: list(page.iter_rows(values_only=True)) for page in book}


def work_out(made: bytes) -> bytes:
    """A workbook as LibreOffice writes it after it has worked out every formula."""
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice is not installed: apt-get install libreoffice-calc-nogui")
    with tempfile.TemporaryDirectory() as place:
        room = Path(place)
        (room / "sheet.xlsx").write_bytes(made)
        home = f"-env:UserInstallation={(room / 'office').as_uri()}"
        command = [office, home, "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir"]
        done = subprocess.run(
            [*command, str(room / "out"), str(room / "sheet.xlsx")], capture_output=True, text=True, timeout=180
        )
        out = room / "out" / "sheet.xlsx"
        assert out.exists(), done.stdout + done.stderr
        return out.read_bytes()


def blank(book: bytes) -> bytes:
    """A workbook without its stored results, so that a reader has to work every one of them out."""
    source, target = zipfile.ZipFile(io.BytesIO(book)), io.BytesIO()
    with zipfile.ZipFile(target, "w") as copy:
        for name in source.namelist():
            data = source.read(name)
            if name.startswith("xl/worksheets/sheet"):
                data = re.sub(rb"(</f>)<v>[^<]*</v>", rb"\1", data)
            copy.writestr(name, data)
    return target.getvalue()


def named(book: bytes, *, formulas: bool = False) -> dict[str, Any]:
    """Value of every named cell, or its formula."""
    read = openpyxl.load_workbook(io.BytesIO(book), data_only=not formulas)
    found = {}
    for name, defined in read.defined_names.items():
        ((page, place),) = defined.destinations
        found[name] = read[page][place].value
    return found
