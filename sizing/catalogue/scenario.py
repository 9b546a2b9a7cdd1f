"""Scenario: every input of one sizing, as one frozen value."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.base.numbers import write_number
from sizing.catalogue import links
from sizing.catalogue.inputs import default, inputs


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Every input of one sizing. Bounds, defaults and their sources stand in data/inputs.toml.

    checkpoint, card, processor, circuit: ids of the catalogue.
    cards: cards in the server. [-]   context_tokens: tokens each conversation holds. [tokens]
    kv_dtype: precision of the KV cache: "auto" (as the checkpoint says), "bf16", "fp8", "nvfp4".
    power_cap_w: power cap of a card; where it is not given, and as long as it is the card's own default, it is that of
    whichever card is chosen. [W]   processors: sockets filled. [-]
    memory_rule: "planning", "vllm-0.20", "engine", "measured" or "custom", which takes the next two.
    memory_share, memory_reserve_gib: of a card's memory. [-], [GiB]
    rest_share: rest of the server as a share of cards and processors. [-]
    planning_share: share of a circuit that is planned with. [-]   air_rise_c: air temperature rise. [K]
    The rest is the site's, see answers.siting; 0 means "none", "not asked" or "not measured" where the help says so.
    feeds: "ab" or "one".   outlet_groups: phases that a server's cords are spread over. [-]
    servers_connected: on one connection. [-]   servers_offered: in all; 0 for those of one connection. [-]
    supplies, supply_w, supply_efficiency: of a server. [-], [W]
    cord: "c13" or "c19".   inlet_c: [°C]   altitude_m: [m]   power_factor: W for each VA. [-]
    engine: "vllm", "sglang" or "trtllm", whose kernels were measured.   prompt_tokens, answer_tokens: new tokens of a
    request, and those it writes; the rest of its context is history. [tokens]
    floor_tokens_s: slowest speed of one conversation that is accepted. [tokens/s]
    waiting_clients: beyond those that the cache holds. [-]
    result_suite, result_model, result_card, result_scenario: which published results are shown, or "all".
    bank_a, banks: breakers inside a rack strip. [A], [-]   site_limit_kw: for all servers connected. [kW]
    feed_a_kw, feed_b_kw: what the feeds carry already. [kW]   rack_feed_kw: what a rack may draw. [kW]
    rack_u, server_u, reserved_u: heights. [U]   hours_full, hours_typical, hours_off: of a day. [h]
    pue: [-]   price_per_kwh: [EUR]   drive_tb, versions_held: NVMe for the checkpoint. [TB], [-]
    measured_full_w, measured_typical_w, measured_idle_w: at the wall. [W]
    engine_version: release of vLLM.   utilization, max_num_seqs, max_num_batched_tokens: 0 for its default.
    prefix_caching: "auto", "on", "off".   speculative_tokens: [tokens]   draft_model: id or "none".
    dcp, attention_dp: decode context and attention data parallel. [-]
    measured_kv_gib: cache memory of a card in a log, for the memory rule "measured". [GiB]
    What is asked for on a call, see demand.call: workload: "one" model or "several" services.   staff, active_share,
    requests_per_hour, seconds_per_request, peak_percentile, measured_peak: see sizing.answers.need; 0 seconds for the
    speed estimate's. [-], [-], [1/h], [s], [-], [-]   short_, document_, agent_ share, prompt_tokens, answer_tokens:
    classes of requests; all shares 0 for one length. [-], [tokens], [tokens]
    goal_aim, connections, budget, price_per_card, price_per_server, connection_binds, survive_failure, most_servers:
    see sizing.demand.goal.   wanted_conversations: 0 for the people's peak. [-]   wanted_context_tokens: 0 for
    context_tokens.   free_rack_u: [U]   kept: what the search may not move.   offer_currency: of the prices.
    virtual_machines: the cards are handed to them.
    SizingError where a value is of the wrong kind or out of bounds.

    >>> Scenario(cards=2).power_cap_w
    600.0
    """

    checkpoint: str = default("checkpoint")
    card: str = default("card")
    cards: int = default("cards")
    context_tokens: int = default("context_tokens")
    kv_dtype: str = default("kv_dtype")
    power_cap_w: float = default("power_cap_w")
    processor: str = default("processor")
    processors: int = default("processors")
    circuit: str = default("circuit")
    memory_rule: str = default("memory_rule")
    memory_share: float = default("memory_share")
    memory_reserve_gib: float = default("memory_reserve_gib")
    rest_share: float = default("rest_share")
    planning_share: float = default("planning_share")
    air_rise_c: float = default("air_rise_c")
    feeds: str = default("feeds")
    outlet_groups: int = default("outlet_groups")
    servers_connected: int = default("servers_connected")
    servers_offered: int = default("servers_offered")
    supplies: int = default("supplies")
    supply_w: float = default("supply_w")
    supply_efficiency: str = default("supply_efficiency")
    cord: str = default("cord")
    inlet_c: float = default("inlet_c")
    altitude_m: float = default("altitude_m")
    bank_a: float = default("bank_a")
    banks: int = default("banks")
    site_limit_kw: float = default("site_limit_kw")
    feed_a_kw: float = default("feed_a_kw")
    feed_b_kw: float = default("feed_b_kw")
    rack_feed_kw: float = default("rack_feed_kw")
    rack_u: int = default("rack_u")
    server_u: int = default("server_u")
    reserved_u: int = default("reserved_u")
    hours_full: float = default("hours_full")
    hours_typical: float = default("hours_typical")
    hours_off: float = default("hours_off")
    pue: float = default("pue")
    price_per_kwh: float = default("price_per_kwh")
    drive_tb: float = default("drive_tb")
    versions_held: int = default("versions_held")
    measured_full_w: float = default("measured_full_w")
    measured_typical_w: float = default("measured_typical_w")
    measured_idle_w: float = default("measured_idle_w")
    power_factor: float = default("power_factor")
    engine: str = default("engine")
    prompt_tokens: int = default("prompt_tokens")
    answer_tokens: int = default("answer_tokens")
    floor_tokens_s: float = default("floor_tokens_s")
    waiting_clients: int = default("waiting_clients")
    result_suite: str = default("result_suite")
    result_model: str = default("result_model")
    result_card: str = default("result_card")
    result_scenario: str = default("result_scenario")
    engine_version: str = default("engine_version")
    utilization: float = default("utilization")
    max_num_seqs: int = default("max_num_seqs")
    max_num_batched_tokens: int = default("max_num_batched_tokens")
    prefix_caching: str = default("prefix_caching")
    speculative_tokens: int = default("speculative_tokens")
    draft_model: str = default("draft_model")
    dcp: int = default("dcp")
    attention_dp: int = default("attention_dp")
    measured_kv_gib: float = default("measured_kv_gib")
    workload: str = default("workload")
    staff: int = default("staff")
    active_share: float = default("active_share")
    requests_per_hour: float = default("requests_per_hour")
    seconds_per_request: float = default("seconds_per_request")
    peak_percentile: float = default("peak_percentile")
    measured_peak: int = default("measured_peak")
    short_share: float = default("short_share")
    short_prompt_tokens: int = default("short_prompt_tokens")
    short_answer_tokens: int = default("short_answer_tokens")
    document_share: float = default("document_share")
    document_prompt_tokens: int = default("document_prompt_tokens")
    document_answer_tokens: int = default("document_answer_tokens")
    agent_share: float = default("agent_share")
    agent_prompt_tokens: int = default("agent_prompt_tokens")
    agent_answer_tokens: int = default("agent_answer_tokens")
    goal_aim: str = default("goal_aim")
    wanted_conversations: int = default("wanted_conversations")
    wanted_context_tokens: int = default("wanted_context_tokens")
    connection_binds: str = default("connection_binds")
    connections: int = default("connections")
    free_rack_u: int = default("free_rack_u")
    most_servers: int = default("most_servers")
    survive_failure: str = default("survive_failure")
    kept: str = default("kept")
    budget: float = default("budget")
    price_per_card: float = default("price_per_card")
    price_per_server: float = default("price_per_server")
    offer_currency: str = default("offer_currency")
    virtual_machines: str = default("virtual_machines")

    def __post_init__(self) -> None:
        for name, spec in inputs().items():
            object.__setattr__(self, name, spec.check(getattr(self, name)))

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Scenario:
        """The scenario of values by name. SizingError for a name that is not an input."""
        _refuse_unknown(values)
        return cls(**values)

    def replace(self, **changes: Any) -> Scenario:
        """The same scenario with other values. SizingError for a name that is not an input."""
        _refuse_unknown(changes)
        if "card" in changes and "power_cap_w" not in changes and self._at_default("power_cap_w"):
            changes["power_cap_w"] = default_cap_w(changes["card"])
        return dataclasses.replace(self, **changes)

    @property
    def servers(self) -> int:
        """Equal servers in all. [-]"""
        return self.servers_offered or self.servers_connected

    def as_dict(self) -> dict[str, Any]:
        """Every value by name, in the order of data/inputs.toml."""
        return {name: getattr(self, name) for name in inputs()}

    def changed(self) -> tuple[str, ...]:
        """Names of the inputs that are not at their default."""
        return tuple(name for name in inputs() if not self._at_default(name))

    def default_of(self, name: str) -> Any:
        """What an input is where nobody set it: the table's default, for the power cap the chosen card's. [its unit]"""
        return default_cap_w(self.card) if name == "power_cap_w" else inputs()[name].default

    def _at_default(self, name: str) -> bool:
        return bool(getattr(self, name) == self.default_of(name))

    def to_json(self) -> str:
        """The scenario as JSON text, every value written out."""
        return json.dumps({"scenario": links.VERSION, **self.as_dict()}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Scenario:
        """The scenario of a JSON text; inputs it does not name are at their default."""
        try:
            values = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            raise SizingError("scenario_not_json", input="scenario") from None
        if not isinstance(values, dict):
            raise SizingError("scenario_not_json", input="scenario")
        version = values.pop("scenario", links.VERSION)
        if version != links.VERSION:
            raise SizingError("scenario_version", input="scenario", version=str(version)[:20], known=links.VERSION)
        _refuse_unknown(values)
        return cls.of(values)

    def to_query(self) -> str:
        """The scenario as the query of a link: the version and what is not at its default.

        >>> Scenario(cards=8, context_tokens=32768).to_query()
        'v=1&ctx=32768&n=8'
        """
        table = inputs()
        pairs = [(links.VERSION_PARAMETER, links.VERSION)] + [
            (table[name].short, _plain(getattr(self, name))) for name in self.changed()
        ]
        return urlencode(pairs, safe="/:.")

    @classmethod
    def from_query(cls, query: str) -> Scenario:
        """The scenario of a link's query. SizingError names the first part that cannot be read."""
        scenario, dropped = cls.read_query(query)
        if dropped:
            raise dropped[0]
        return scenario

    @classmethod
    def read_query(cls, query: str) -> tuple[Scenario, tuple[SizingError, ...]]:
        """The scenario of a link's query, and an error for each part that had to be dropped.

        Parts that belong to other pages or to the look (``theme=dark``) are no error; a name that nobody knows is one.
        """
        values, dropped = links.read(query, {spec.short: spec for spec in inputs().values()})
        return cls(**values), (*dropped, *links.faults(query))


def default_cap_w(card: Any) -> float:
    """Power cap of a card where nobody sets one: the card's own default. [W]

    For an id that the catalogue does not have it is the table's: the id is refused where it is used.
    """
    known = isinstance(card, str) and card in catalogue.card_ids()
    return float(catalogue.card(card).power_default_w.value if known else inputs()["power_cap_w"].default)


def _plain(value: Any) -> str:
    return write_number(value) if isinstance(value, float) else str(value)


def _refuse_unknown(values: Mapping[str, Any]) -> None:
    if unknown := [name for name in values if name not in inputs()]:
        raise SizingError("unknown_input", input=str(unknown[0])[:60], known=", ".join(inputs()))


_checked_init = Scenario.__init__


@functools.wraps(_checked_init)
def _init(self: Scenario, **values: Any) -> None:
    # A misspelt name is bad input like any other, and says which names there are.
    _refuse_unknown(values)
    if "power_cap_w" not in values:
        values["power_cap_w"] = default_cap_w(values.get("card", inputs()["card"].default))
    _checked_init(self, **values)


Scenario.__init__ = _init  # type: ignore[method-assign]
