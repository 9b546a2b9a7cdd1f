"""What a sheet is asked for: the sizing, and what a person writes on it."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Callable
from urllib.parse import urlsplit

from sizing.answers.answer import Answer
from sizing.answers.need import Demand
from sizing.answers.size import Sizing
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.texts import Word
from sizing.base.units import ceil_div
from sizing.catalogue.scenario import Scenario
from sizing.demand.mix import Counts
from sizing.sharing.shared import Shared

LONGEST_NAME = 120
LONGEST_REMARK = 600
LONGEST_LINK = 2000
MOST_MONEY = 10**9


@dataclass(frozen=True)
class Request:
    """One sheet. Nothing of it is kept: each file is made in memory, the same bytes for the same request.

    shared: the placement of a shared server, whose sheet it then is; None for the sheet of one model.
    customer, remark: as typed; signs that cannot be printed are left out.   link: address of the scenario's page.
    made_on: date on the sheet, None for none.   demand: of people, counts: at mixed lengths; None where not asked.
    virtual_machines: the cards are handed to virtual machines, so that licences are counted.
    price_per_card: offered, in ``currency``; 0 to show the catalogue's dated quote where there is one.
    price_per_server: a chassis with processors, memory and drives but no cards, in ``currency``; 0 for none.
    SizingError: a name or remark too long, a link that is none, a price that is none.
    """

    answer: Answer
    customer: str = ""
    remark: str = ""
    link: str = ""
    language: str = "en"
    made_on: datetime.date | None = None
    shared: Shared | None = None
    demand: Demand | None = None
    counts: Counts | None = None
    virtual_machines: bool = False
    price_per_card: float = 0.0
    price_per_server: float = 0.0
    currency: str = "EUR"

    def __post_init__(self) -> None:
        object.__setattr__(self, "customer", _line("customer", self.customer, LONGEST_NAME))
        object.__setattr__(self, "remark", _line("remark", self.remark, LONGEST_REMARK))
        object.__setattr__(self, "link", _address(self.link))
        if not re.fullmatch(r"[A-Z]{3}", self.currency):
            raise SizingError("sheet_currency", input="currency", value=self.currency)
        for name in ("price_per_card", "price_per_server"):
            if not 0 <= getattr(self, name) <= MOST_MONEY:
                raise SizingError("sheet_price", input=name, value=getattr(self, name), most=MOST_MONEY)

    @property
    def sizing(self) -> Sizing:
        """Memory, engine and power."""
        return self.answer.sizing

    @property
    def scenario(self) -> Scenario:
        """The server, and for one model the model."""
        return self.shared.plan.scenario if self.shared else self.sizing.scenario

    @property
    def servers(self) -> int:
        """Servers that it offers: those of the plan, or of the scenario. [-]"""
        return self.shared.plan.servers if self.shared else self.scenario.servers

    @property
    def connections(self) -> int:
        """Connections of the chosen kind for them, a pair of feeds counted as one. [-]"""
        return ceil_div(self.servers, self.scenario.servers_connected)


def _line(input: str, text: str, longest: int) -> str:
    """Text on one line, without signs that steer a printer or turn the direction of reading."""
    shown = "".join(" " if unicodedata.category(sign) in ("Cc", "Zl", "Zp") else sign for sign in text)
    shown = "".join(sign for sign in shown if unicodedata.category(sign) not in ("Cf", "Cs", "Co", "Cn"))
    shown = unicodedata.normalize("NFC", re.sub(r"\s+", " ", shown)).strip()
    if len(shown) > longest:
        field = Word(f"call.sheet.{input}")
        raise SizingError("sheet_text_long", input=input, field=field, length=len(shown), longest=longest)
    return shown


def _address(link: str) -> str:
    """A link that a click may follow: http or https, and nothing that a browser would run."""
    if not link:
        return ""
    try:
        parts = urlsplit(link)
    except ValueError:
        parts = None
    usable = parts is not None and parts.scheme in ("http", "https") and bool(parts.netloc)
    if not usable or len(link) > LONGEST_LINK or re.search(r"[\s<>\"\\^`{|}\x00-\x20\x7f]", link):
        raise SizingError("sheet_link", input="link", longest=LONGEST_LINK)
    return link


# How far a sheet is, told to whoever waits for it.

Told = Callable[[int, int], None]
"""Takes what is done and how much there is in all. What it raises ends the work, and comes out of `sheet`."""


class StepCounter:
    """Counts steps of about the same length and tells each. total: how many there are."""

    def __init__(self, told: Told | None, total: int) -> None:
        self.told, self.total, self.done = told, total, 0
        self._tell()

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        self._tell()

    def _tell(self) -> None:
        if self.told is not None:
            self.told(self.done, self.total)
