"""Writes the files of a sheet into a folder, to look at: scripts/sample_sheet.py FOLDER [LINK-QUERY [LANGUAGE]].

A link of the page for a shared server (with pv= in it) gives the sheet of its services.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

import sizing
from sizing.answers.need import running
from sizing.sharing import Plan
from sizing.sharing.shared import shared
from sizing.sheet.request import Request
from sizing.sheet.sheets import Kind, file_name, sheet

folder = Path(sys.argv[1])
query = sys.argv[2] if len(sys.argv) > 2 else ""
language = sys.argv[3] if len(sys.argv) > 3 else "en"
placed = shared(Plan.from_query(query)) if "pv=" in query else None
scenario = placed.plan.scenario if placed else sizing.Scenario.from_query(query)
people = running(staff=500, active_share=0.2, requests_per_hour=6, seconds_per_request=30, peak_percentile=0.99)
request = Request(
    sizing.answer(scenario), shared=placed, customer="Example Ltd", remark="A sample.", demand=people, language=language
)
folder.mkdir(parents=True, exist_ok=True)
kinds: tuple[Kind, ...] = get_args(Kind)
for kind in kinds:
    path = folder / file_name(request, kind)
    path.write_bytes(sheet(request, kind))
    print(path)
