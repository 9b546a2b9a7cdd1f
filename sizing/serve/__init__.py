"""The pages' server and its console command ``sizing-workbook``.

Importing this costs nothing: what serves is imported when it is called, since the process in which kernels are born
(`sizing.serve.nursery`) shares the package and must stay small.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from sizing.base.errors import SizingError, extra


def main(argv: Sequence[str] | None = None) -> None:
    """Serve the pages until stopped."""
    try:
        with extra("pages"):
            from sizing.serve import command
    except SizingError as error:
        sys.exit(str(error))
    command.main(argv)
