"""Whether the pages are served to others than the operator."""

from __future__ import annotations

import os

PUBLIC = "SIZING_PUBLIC"
"""Set in the environment of a server that listens beyond its own machine, and so of every page's kernel."""


def is_public() -> bool:
    """A visitor may be anyone: nothing of the operator's, such as a Hub token, is used on their behalf."""
    return bool(os.environ.get(PUBLIC))
