"""How to set the cap: commands and the unit file, to be copied."""

from __future__ import annotations

from sizing.answers.siting import Siting
from sizing.base.markup import Markup, join, tag
from sizing.base.texts import say


def commands(siting: Siting, language: str) -> Markup:
    """Commands for a running system, a unit for each start, and how to check what holds."""
    plan = siting.plan
    made = plan.commands
    title = say("ui.region.cap", language)
    if "cap" in plan.stops:
        return join([tag("h2", title), tag("p", say("ui.site.commands.none", language), class_="site-lead")])
    lines: tuple[tuple[str, str, dict[str, str]], ...] = (
        ("now", "\n".join(f"sudo {command}" for command in made.now), {}),
        ("unit", made.unit_file, {"path": made.unit_path}),
        ("enable", made.enable, {}),
        ("check", made.check, {}),
    )
    blocks = [
        tag(
            "div",
            tag("p", say(f"ui.site.commands.{name}", language, **values)),
            tag("pre", text, class_="site-copy", tabindex="0"),
        )
        for name, text, values in lines
    ]
    intro = say("ui.site.commands.intro", language, cap_w=plan.site.power_cap_w)
    return join([tag("h2", title), tag("p", intro, class_="site-lead"), tag("div", *blocks, class_="site-commands")])
