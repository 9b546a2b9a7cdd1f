"""Results that have charts. Who draws stands floors above: the package's door hands it down."""

from __future__ import annotations

TYPE_CHECKING = False  # loaded with the package: typing itself takes longer to load than this file
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar


class Drawn:
    """Base of results that have charts.   DRAW: draws one, by the result, a name and a language."""

    DRAW: ClassVar[Callable[[Any, str, str], Any]]

    def plot(self, name: str = "", language: str = "en") -> Any:
        """A chart of the pages, see `sizing.plot`: "layouts", "context", "memory", "power" ...

        It shows itself in a notebook, as SVG and as plotly's figure.
        """
        return Drawn.DRAW(self, name, language)
