"""The site page as widgets, without a browser."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from sizing import catalogue
from sizing.answers.siting import site
from sizing.catalogue import card_ids, circuit_ids, processor_ids, servers
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario
from sizing.sheet.figures import theme
from sizing.ui.charts.site_charts import site_air, site_caps, site_connections, site_servers
from sizing.ui.pages.site import INPUTS, SitePage
from sizing.ui.reports import site_report

CHARTS = (site_connections, site_caps, site_servers, site_air)
IDS = {"cards": card_ids, "circuits": circuit_ids, "processors": processor_ids}


@pytest.fixture
def page() -> SitePage:
    return SitePage("")


def headline(**changes: Any) -> str:
    return site_report.headline(site(Scenario(**changes)), "en")


def text(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {},
            "Four cards at 600 W need 32 A single-phase or 16 A three-phase; "
            "at 450 W the 16 A single-phase connection carries them.",
        ),
        ({"power_cap_w": 450}, "Four cards at 450 W run on 16 A single-phase: 2.71 of 2.94 kW planned."),
        ({"cards": 1}, "One card at 600 W runs on 16 A single-phase: 1.33 of 2.94 kW planned."),
        (
            # 4 x 3.404 kW; the phase that two cords of each of four servers load most carries 3 x 7.37 A
            {"circuit": "eu-3ph-32a", "servers_connected": 4},
            "4 servers of four cards at 600 W run on 32 A three-phase: 13.62 of 17.74 kW planned.",
        ),
        (
            {"cards": 8, "circuit": "us-208v-1ph-30a"},
            # 6,164 W / 208 V / 2 = 14.8 A a cord, √3 x 14.8 = 25.7 A on the conductor that both share: above the 24 A
            # planned on 30 A, so 60 A; and not the region's 415 V, whose outlets have another voltage
            "Eight cards at 600 W need 208 V, 50 A single-phase or 208 V, 60 A three-phase; "
            "at 450 W the 208 V, 30 A single-phase connection carries them.",
        ),
        (
            {"circuit": "eu-1ph-32a", "supplies": 2, "supply_w": 4000, "cord": "c13"},
            # 3,404 / 230 = 14.8 A on the one cord left; 10 A are 2,300 W, 360 W a card: (1,440 + 560) x 1.15
            "The cord stops it: 14.8 A on a C13/C14 that carries 10 A; at 360 W the connection carries it.",
        ),
        (
            {"circuit": "eu-1ph-32a", "supplies": 2, "supply_w": 1600},
            # 3,200 W carry (4 x 450 + 560) x 1.15 = 2,714 W
            "The supplies stop it: all together, 2 × 1,600 W, are less than the server's 3.40 kW; "
            "at 450 W the connection carries it.",
        ),
        (
            {"supplies": 2, "supply_w": 900},  # even 300 W: (4 x 300 + 560) x 1.15 = 2,024 W of 1,800 W
            "Four cards at 600 W are stopped by the supplies and the circuit; "
            "no cap that the card accepts brings them under the 16 A single-phase connection.",
        ),
        (
            {"power_cap_w": 250},
            "The RTX PRO 6000 Blackwell Server Edition does not accept a cap of 250 W: it takes 300 to 600 W.",
        ),
        (
            {"power_cap_w": 450, "inlet_c": 50},
            "50 °C · 122 °F at the inlet is too warm: the cards' maker states their air up to 45 °C.",
        ),
        (
            {"card": "h200-nvl"},
            "Four cards at 600 W need 32 A single-phase or 16 A three-phase; no lower cap of this card is published.",
        ),
    ],
)
def test_the_answer_is_a_sentence(changes: dict[str, Any], said: str) -> None:
    assert headline(**changes) == said


def test_it_starts_from_the_scenario_of_the_link() -> None:
    page = SitePage("v=1&n=8&cap=450&line=eu-1ph-32a&ctx=32768")
    assert "Eight cards at 450 W run on 32 A single-phase" in page.answer.html
    assert page.scenario.context_tokens == 32768  # not on this page, and still there for the next
    assert "ctx=32768" in page.address.query


def test_every_part_has_content_and_every_chart_a_text(page: SitePage) -> None:
    for part in (page.answer, page.supplies, page.states, page.notes, page.chassis, page.parts, page.cap, page.facts):
        assert len(part.html) > 300
    assert set(page.figures) == {chart.name for chart in CHARTS}
    for figure in page.figures.values():
        assert figure.chart.seq == 1
        assert len(figure.chart.alt) > 20
    for shown in (*(figure.below.html for figure in page.figures.values()), page.supplies.html, page.states.html):
        assert "Show the working" in shown
    assert not page.messages.sentences


@pytest.mark.parametrize("name", [name for name in INPUTS if inputs()[name].kind in ("integer", "number")])
def test_a_move_of_any_slider_stays_within_the_budget(page: SitePage, name: str) -> None:
    for stop in inputs()[name].stops[:: max(1, len(inputs()[name].stops) // 3)]:
        before = {chart: figure.chart.figure for chart, figure in page.figures.items()}
        page.form.hear("edit", {name: str(stop)})
        assert not page.messages.sentences
        sent = sum(
            len(json.dumps(figure.chart.figure)) + len(figure.chart.alt)
            for chart, figure in page.figures.items()
            if figure.chart.figure != before[chart]
        )
        assert sent < 25_000


@pytest.mark.parametrize("seed", range(6))
def test_any_mix_of_inputs_is_drawn(page: SitePage, seed: int) -> None:
    """Whatever the inputs, the page says something and no figure holds what JSON has no word for."""
    dice = random.Random(seed)
    for _ in range(12):
        changes: dict[str, str] = {}
        for name in dice.sample(INPUTS, len(INPUTS) // 2):
            spec = inputs()[name]
            if spec.kind == "id":
                changes[name] = dice.choice(IDS[spec.catalogue]())
            elif spec.kind == "choice":
                changes[name] = dice.choice(spec.choices)
            else:
                changes[name] = str(dice.choice([spec.min, spec.max, *spec.stops]))
        page.form.hear("edit", changes)
        assert not page.messages.sentences, changes
        for figure in page.figures.values():
            json.dumps(figure.chart.figure, allow_nan=False)
            assert figure.chart.alt


def test_five_colours_at_most_and_all_of_the_theme(page: SitePage) -> None:
    known = {value for name, value in vars(theme).items() if name.isupper() and isinstance(value, str)}
    for figure in page.figures.values():
        used: set[str] = set()
        for trace in figure.chart.figure["data"]:
            colour = trace.get("marker", {}).get("color", trace.get("line", {}).get("color"))
            used |= set(colour) if isinstance(colour, list) else {colour}
        used |= {
            shape["line"]["color"]
            for shape in figure.chart.figure["layout"].get("shapes", [])
            if "color" in shape["line"]
        }
        assert used <= known
        assert len(used) <= 5


def test_charts_hold_the_calculated_figures() -> None:
    found = site(Scenario())
    caps = site_caps.build(found, "en")["data"]
    # 600, 550, 500, 450 W and so on: 4 x 600 W, 2 x 280 W, and 15 % of both
    assert caps[0]["x"][0] == pytest.approx(2.4)
    assert [trace["x"][3] for trace in caps] == [pytest.approx(1.8), pytest.approx(0.56), pytest.approx(0.354)]
    loaded = site_connections.build(found, "en")["data"]
    assert sum(trace["x"][1] for trace in loaded) == pytest.approx(3404 / 2944)
    lines = site_servers.build(found, "en")["data"]
    at = dict(zip(lines[0]["x"], lines[0]["y"], strict=True))
    assert (at[500], at[510]) == (1, 0)  # 2,944 W is 500 W a card
    feed = dict(zip(lines[1]["x"], lines[1]["y"], strict=True))
    assert (feed[600], feed[450]) == (4, 6)  # 17 kW over 3.404 and 2.714 kW
    assert set(lines[2]["y"]) == {10}  # 40 U of 4 U each


def test_air_at_height_and_inlet() -> None:
    found = site(Scenario(altitude_m=1500, inlet_c=35))
    sea = site(Scenario(inlet_c=35))
    # The standard atmosphere: 1 / (1 - 2.25577e-5 x 1500) ^ 5.25588 = 1.198
    assert found.plan.cooling.cfm / sea.plan.cooling.cfm == pytest.approx(1.198, abs=0.001)
    (low, high) = found.plan.cards_airflow_cfm
    assert (low[1], high[1]) == (pytest.approx(4 * 43 * 1.198, abs=0.5), pytest.approx(4 * 125 * 1.198, abs=1))
    assert "95 °F" in json.dumps(site_air.build(found, "en"), ensure_ascii=False)
    assert site_air.build(site(Scenario(card="l4", power_cap_w=72)), "en")["data"]


def test_celsius_stands_beside_fahrenheit(page: SitePage) -> None:
    page.form.hear("edit", {"inlet_c": "86 °F", "air_rise_c": "20 °F"})
    assert page.scenario.inlet_c == pytest.approx(30)
    assert page.scenario.air_rise_c == pytest.approx(20 / 1.8)
    assert page.form.values["inlet_c"]["also"] == "= 86 °F"
    assert page.form.values["air_rise_c"]["also"] == "= 20.0 °F warmer"
    # behind the server: 30 + 11.1 = 41.1 °C, 86 + 20 = 106 °F
    assert "41 °C · 106 °F" in page.answer.html
    for celsius, fahrenheit in re.findall(r"([\d.]+) °C · ([\d.]+) °F", page.chassis.html):
        assert float(fahrenheit) == pytest.approx(float(celsius) * 1.8 + 32, abs=1)


def test_nothing_measured_is_said_beside_the_field(page: SitePage) -> None:
    assert page.form.values["measured_full_w"]["also"] == "0: not measured."
    page.form.hear("edit", {"measured_full_w": "3100"})
    assert page.form.values["measured_full_w"]["also"] == ""
    assert "3.10 kW" in page.answer.html
    assert "That was measured" in page.answer.html
    assert "sizing-estimate" not in page.answer.html


def test_each_state_says_what_it_rests_on(page: SitePage) -> None:
    shown = text(page.states.html)
    # idle cards: 90 W published; (4 x 90 + 2 x 280 x 0.257) x 1.15 = 0.58 kW
    assert "card published, server assumed90 W0.58 kW" in shown
    page.form.hear("edit", {"measured_idle_w": "700"})
    assert "memory measured90 W0.70 kW" in text(page.states.html)
    page.form.hear("edit", {"card": "h200-nvl"})
    assert "card assumed, server assumed" in text(page.states.html)


def test_more_hours_than_a_day_are_said_where_the_year_would_stand(page: SitePage) -> None:
    page.form.hear("edit", {"hours_full": "20", "hours_typical": "20"})
    assert "add up to 40.0, and a day has 24" in page.states.html
    assert "Four cards at 600 W need" in page.answer.html
    assert not page.messages.sentences


def test_a_year_of_energy(page: SitePage) -> None:
    page.form.hear("edit", {"hours_full": "24", "hours_typical": "0"})
    # 3.404 kW x 8,760 h = 29,819 kWh; x 1.54 x 0.1902 = 8,734
    assert "29,819 kWh in the server" in page.states.html
    assert "cost 8,734 EUR" in page.states.html


def test_redundancy_draws_what_is_lost(page: SitePage) -> None:
    rows = page.supplies.html.split('class="site-case"')[1:]
    assert [row.count("site-cross") for row in rows] == [0, 1, 2]
    assert [row.count("site-box") for row in rows] == [4, 3, 2]
    assert "2+2" in page.supplies.html
    assert "3 carry 3.40 of 9.6 kW, 35% each" in text(page.supplies.html)
    page.form.hear("edit", {"supplies": "2"})
    assert "less than the 3.40 kW of the server: it stops or throttles" in page.supplies.html


def test_every_listed_chassis_has_its_row_its_verdict_and_its_blanks(page: SitePage) -> None:
    rows = re.findall(r"<tr class=\"site-(\w+)\">(.*?)</tr>", page.chassis.html)
    assert len(rows) == len(servers.server_ids())
    assert [verdict for verdict, _ in rows] == sorted(
        (verdict for verdict, _ in rows), key=("fits", "conditional", "unknown", "stopped").index
    )
    by_name = {text(row.split("</th>")[0]): (verdict, row) for verdict, row in rows}
    verdict, row = by_name["Lenovo ThinkSystem SR650a V4"]
    assert verdict == "stopped"
    assert "It takes 2 at 600 W, not 4." in row
    assert "Sources differ on the slot: 400 or 450 W." in row
    assert "2 at 600 W, 4 at 450 W" in row
    assert 'class="site-blank" data-label="Inlet limit">not found' in row
    assert "This card has no fan" in by_name["Any tower under a desk"][1]
    page.form.hear("edit", {"power_cap_w": "450"})
    rows = re.findall(r"<tr class=\"site-(\w+)\">(.*?)</tr>", page.chassis.html)
    ((verdict, row),) = [each for each in rows if "Lenovo ThinkSystem SR650a V4" in each[1]]
    assert verdict == "unknown"
    assert "ask its maker how warm the inlet may be with 4 cards at 450 W" in row


def test_the_commands_are_those_for_the_cap(page: SitePage) -> None:
    page.form.hear("edit", {"power_cap_w": "450", "cards": "2"})
    blocks = re.findall(r"<pre[^>]*>(.*?)</pre>", page.cap.html, flags=re.DOTALL)
    assert blocks[0] == "sudo nvidia-smi -pm 1\nsudo nvidia-smi -i 0 -pl 450\nsudo nvidia-smi -i 1 -pl 450"
    assert "ExecStart=/usr/bin/nvidia-smi -i 1 -pl 450" in blocks[1]
    page.form.hear("edit", {"power_cap_w": "250"})
    assert "<pre" not in page.cap.html


def test_facts_name_their_sources(page: SitePage) -> None:
    shown = text(page.facts.html)
    for key in ("uptime-pue-2025", "eurostat-electricity", "geist-pdu", "specpower-16-years", "iec-60320"):
        assert catalogue.source(key).title in shown


def test_servers_on_every_connection_by_cap(page: SitePage) -> None:
    below = page.figures["site_servers"].below.html
    row = re.search(r"230 V, 16 A single-phase</th>(.*?)</tr>", below)
    assert row is not None
    assert re.findall(r">(\d+)</td>", row[1]) == ["0", "0", "1", "1", "1", "1", "1"]
    rack = re.search(r"by the rack&#x27;s 17 kW</th>(.*?)</tr>", below)
    assert rack is not None
    # 17,000 W over 3,404, 3,174, 2,944, 2,714, 2,484, 2,254 and 2,024 W
    assert re.findall(r">(\d+)</td>", rack[1]) == ["4", "5", "5", "6", "6", "7", "8"]


def test_only_its_own_inputs_are_in_the_form(page: SitePage) -> None:
    assert {field["name"] for field in page.form.fields} == set(INPUTS)
    assert set(page.form.values) == set(INPUTS)
