"""The pages and Voilà's configuration: the console command, a Jupyter server (Binder) and the pages all read it.

Only pages are served: no source, no traceback, no file, no other template than ours.
"""

from __future__ import annotations

import functools
import gzip
import importlib.util
import os
from pathlib import Path
from typing import Any

from sizing.base import texts

JUPYTER_PATH = Path(__file__).parent / "template"  # where Jupyter finds voila/templates/sizing

PAGES = ("call", "sizing", "site", "new_model", "speed", "shared_server", "compare", "evidence")
"""Every page in the order of the navigation: notebooks/<name>.ipynb, with its title ``ui.page.<name>``."""

ANALYST = "analyst"
"""Tag of cells that are for analysts: read and run in JupyterLab, on a page neither shown nor run."""

# Of all JupyterLab extensions, a page needs those that bring the widgets.
LAB_EXTENSIONS = ["@jupyter-widgets/jupyterlab-manager", "@voila-dashboards/widgets-manager8", "anywidget"]


def configuration(*, plotly_url: str = "", language: str = "en") -> dict[str, Any]:
    """Traitlets configuration of Voilà.

    plotly_url: where the page can load plotly.js before its kernel has started; "" where the server does not offer it,
        and the charts ask the kernel.
    """
    return {
        "TagRemovePreprocessor": {"enabled": True, "remove_cell_tags": [ANALYST]},
        "VoilaConfiguration": {
            "template": "sizing",
            "allow_template_override": "NO",
            "allow_theme_override": "NO",  # the page itself follows ?theme= and the system
            "strip_sources": True,
            "show_tracebacks": False,
            "file_allowlist": [],
            "extension_allowlist": LAB_EXTENSIONS,
            "resources": {
                "sizing": {
                    "language": language,
                    "plotly_url": plotly_url,
                    "texts": words(language),
                }
            },
        },
    }


# ``fault``, ``quote`` and ``queue`` still want their number.
_WORDS = ("workbook", "preparing", "slow", "reload", "no_script", "not_found", "failed", "quote", "first_page", "busy",
          "queue", "patience")  # fmt: skip


def words(language: str = "en") -> dict[str, str]:
    """The texts of the template and of the server's own pages, some with a ``{number}`` still to be put in."""
    catalogue = texts.catalogue(language)
    return {name: catalogue[f"ui.frame.{name}"] for name in _WORDS} | {"fault": catalogue["ui.fault.page"]}


# Whether the pages are served to others than the operator.

PUBLIC = "SIZING_PUBLIC"
"""Set in the environment of a server that listens beyond its own machine, and so of every page's kernel."""


def is_public() -> bool:
    """A visitor may be anyone: nothing of the operator's, such as a Hub token, is used on their behalf."""
    return bool(os.environ.get(PUBLIC))


# The one script that is too large to be sent with each chart.


def plotly_js() -> Path:
    """plotly.min.js of the installed plotly package, found without importing it."""
    spec = importlib.util.find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("plotly is not installed", name="plotly")
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"


@functools.cache
def packed_plotly_js() -> bytes:
    """plotly.min.js, gzipped: 4.8 MB become 1.5."""
    return gzip.compress(plotly_js().read_bytes(), compresslevel=6, mtime=0)
