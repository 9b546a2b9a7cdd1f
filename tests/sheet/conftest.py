"""Requests of a few sheets."""

from __future__ import annotations

import datetime
import functools

import sizing
from sizing.answers.need import running
from sizing.answers.size import Sizing
from sizing.demand.mix import Counts, LengthClass, Mix, counts
from sizing.sharing import Plan, preset
from sizing.sharing.shared import Shared, shared
from sizing.sheet.request import Request

LINK = "https://sizing.example.com/voila/render/call.ipynb?v=1&n=4"

SCENARIOS: dict[str, dict[str, object]] = {
    "department": {},
    "windows": {"checkpoint": "google/gemma-3-27b-it", "cards": 3, "context_tokens": 32768, "circuit": "eu-3ph-32a"},
    "states": {"checkpoint": "Qwen/Qwen3.8-27B", "cards": 2, "kv_dtype": "bf16", "power_cap_w": 450},
    "latent": {"checkpoint": "deepseek-ai/DeepSeek-V3.2", "cards": 8, "card": "h200-nvl", "circuit": "eu-3ph-32a"},
    "compressed": {"checkpoint": "deepseek-ai/DeepSeek-V4-Flash-0731", "context_tokens": 131072},
    "does not fit": {"checkpoint": "moonshotai/Kimi-K2-Instruct", "cards": 1},
    "no cache": {"checkpoint": "BAAI/bge-m3", "cards": 1, "context_tokens": 512},
    "amd": {"card": "mi300x", "power_cap_w": 750, "cards": 8, "circuit": "eu-3ph-63a"},
    "engine": {"memory_rule": "engine"},
}


def request(name: str = "department", **more: object) -> Request:
    """A sheet with everything on it."""
    people = running(staff=500, active_share=0.2, requests_per_hour=6, seconds_per_request=30, peak_percentile=0.95)
    asked: dict[str, object] = {
        "customer": "Example Ltd",
        "remark": "Two racks in the new hall.",
        "link": LINK,
        "made_on": datetime.date(2026, 11, 30),
        "demand": people,
    }
    scenario = sizing.Scenario(**SCENARIOS[name])  # type: ignore[arg-type]
    return Request(sizing.answer(scenario), **{**asked, **more})  # type: ignore[arg-type]


def mixed(sized: Sizing) -> Counts:
    """Of a hundred requests eighty short ones and twenty with a long answer, none longer than the context."""
    most = sized.scenario.context_tokens
    return counts(
        sized, Mix((LengthClass("chat", 80, most / 8, most / 32), LengthClass("report", 20, most / 2, most / 4)))
    )


PLANS = ("dozen", "one_70b", "eight_cards", "two servers", "too much")


@functools.cache
def placed(name: str) -> Shared:
    """A placement: a preset, one on two servers, or one that leaves a service out."""
    if name == "two servers":
        return shared(preset("eight_cards").replace(servers=2))
    if name == "too much":
        return shared(preset("one_70b").replace(cards=2))
    return shared(preset(name))


def services(name: str = "dozen", **more: object) -> Request:
    """The sheet of a shared server."""
    plan: Plan = placed(name).plan
    asked: dict[str, object] = {
        "shared": placed(name),
        "customer": "Example Ltd",
        "link": LINK,
        "made_on": datetime.date(2026, 11, 30),
    }
    return Request(sizing.answer(plan.scenario), **{**asked, **more})  # type: ignore[arg-type]
