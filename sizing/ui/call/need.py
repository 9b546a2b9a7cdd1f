"""The need: people, the requests that run at once, and how many the server holds."""

from __future__ import annotations

from sizing.base.markup import Markup, join, table, tag
from sizing.base.texts import say
from sizing.demand.call import Call
from sizing.ui import working as working_view


def section(call: Call, language: str) -> Markup:
    """The sentence about the people, its figures, the three counts, and the working."""
    demand, counts = call.demand, call.counts
    parts = [
        tag("h2", say("ui.region.call_need", language)),
        tag("p", _sentence(call, language), class_="sizing-second"),
    ]
    if demand:
        figures = (
            ("arrivals", say("call.figure.per_minute", language, value=demand.arrivals_per_s * 60)),
            ("seconds", _seconds(call, language)),
            ("mean", say("unit.decimal", language, value=demand.mean)),
            ("peak", say("unit.integer", language, value=demand.peak)),
        )
        shown = [tag("div", tag("dt", say(f"call.figure.{name}", language)), tag("dd", text)) for name, text in figures]
        parts.append(tag("dl", *shown, class_="sizing-figures"))
    if counts:
        rows = [
            [
                say(f"call.count.{name}", language),
                say("unit.integer", language, value=tokens),
                say("ui.no_limit", language) if count is None else say("unit.integer", language, value=count),
            ]
            for name, tokens, count in (
                ("full", counts.context_tokens, counts.at_full_context),
                ("final", counts.mean_final_tokens, counts.at_mean_final_length),
                ("resident", counts.mean_resident_tokens, counts.at_mean_resident_length),
            )
        ]
        head = [say(f"call.column.{name}", language) for name in ("counted", "tokens", "conversations")]
        servers = call.scenario.servers
        caption = "call.count.caption" if servers == 1 else "call.count.caption_many"
        parts.append(table(say(caption, language, servers=servers), head, rows))
    found = [each for each in (demand, counts) if each]
    if found:
        steps = lambda: [step for each in found for step in each.working]  # noqa: E731
        parts.append(working_view.section("working-call_need", steps, language))
    return join(parts)


def _sentence(call: Call, language: str) -> str:
    scenario, demand = call.scenario, call.demand
    if scenario.wanted_conversations:
        return say("call.people.wanted", language, wanted=scenario.wanted_conversations)
    if demand is None:
        return say("call.people.unknown" if scenario.staff else "call.people.none", language, staff=scenario.staff)
    key, percent = "measured" if demand.measured else "estimated", 100 * scenario.peak_percentile
    return say(f"call.people.{key}", language, staff=scenario.staff, peak=demand.peak, percent=percent)


def _seconds(call: Call, language: str) -> str:
    assert call.demand is not None
    value = say("call.figure.seconds_value", language, value=call.demand.seconds_per_request)
    return value if call.seconds_from == "input" else f"{value} · {say(f'call.seconds.{call.seconds_from}', language)}"
