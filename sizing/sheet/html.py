"""The sheet as one HTML file that opens offline: style and charts inside, no script."""

from __future__ import annotations

from pathlib import Path
from string import Template

from sizing.base.markup import Markup, join, table, tag
from sizing.base.texts import say
from sizing.sheet import drawing
from sizing.sheet.content import Content, SheetFigure, amount
from sizing.sheet.drawing import svg
from sizing.sheet.request import StepCounter

STEPS = 1


def html(content: Content, progress: StepCounter) -> bytes:
    """The whole file, UTF-8."""
    body = tag(
        "body",
        _head(content),
        tag("main", _answer(content), _charts(content), _table(content), _notes(content), _inputs(content)),
        _parts(content),
        _working(content),
        _sources(content),
        _foot(content),
    )
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        # No script, no frame, no request to anywhere, whatever a customer's text may hold.
        Markup(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        ),
        tag("title", f"{content.title}: {content.subject}"),
        tag("style", Markup(_style())),
    )
    made = f"<!doctype html>\n{tag('html', head, body, lang=content.language)}\n".encode()
    progress.step()
    return made


def _style() -> str:
    """The style, a colour for each ``$NAME`` of sheet.css."""
    style = Template((Path(__file__).parent / "sheet.css").read_text(encoding="utf-8"))
    return style.substitute({name: getattr(drawing, name) for name in drawing.COLOURS})


def _head(content: Content) -> Markup:
    lines = join(tag("p", line) for line in content.head)
    return tag("header", tag("h1", content.title), tag("div", lines))


def _section(content: Content, name: str, *children: str) -> Markup:
    return tag("section", tag("h2", content.say(f"sheet.section.{name}")), *children)


def _answer(content: Content) -> Markup:
    stop = "" if content.fits else " stop"
    more = tag("dl", *(_figure(content, figure) for figure in content.more_figures)) if content.more_figures else ""
    return tag(
        "section",
        tag("p", content.subject, class_="subject"),
        tag("p", content.answer, class_=f"answer{stop}"),
        tag("p", content.second),
        tag("dl", *(_figure(content, figure) for figure in content.figures)),
        more,
    )


def _figure(content: Content, figure: SheetFigure) -> Markup:
    name = figure.label + (f" ({content.say('sheet.estimate')})" if figure.estimate else "")
    return tag("div", tag("dt", name), tag("dd", figure.shown))


def _charts(content: Content) -> Markup:
    figures = (tag("figure", tag("figcaption", one.title), svg(one)) for one in content.drawings(100))
    return _section(content, "charts", tag("div", *figures, class_="charts"))


def _table(content: Content) -> Markup:
    shown = content.table
    made = table(shown.title, shown.heads, shown.rows, marked=shown.marked)
    return tag("section", tag("h2", shown.title), made, class_=None if shown.narrow else "services")


def _notes(content: Content) -> Markup:
    items = (
        tag(
            "li",
            tag("strong", content.say(f"ui.level.{note.level}"), class_="stop" if note.level == "stop" else None),
            f" {note.say(content.language)} {content.mark(note.source)}",
        )
        for note in content.notes
    )
    return _section(content, "notes", tag("ul", *items))


def _inputs(content: Content) -> Markup:
    rows = [
        tag("tr", tag("th", row.label, scope="row"), tag("td", row.shown), class_="changed" if row.changed else None)
        for row in content.all_inputs
    ]
    hint = tag("p", content.say("sheet.changed_hint"), class_="quiet")
    return _section(content, "assumptions", hint, tag("table", tag("tbody", *rows), class_="inputs"))


def _parts(content: Content) -> Markup:
    head = [content.say(f"sheet.column.{name}") for name in ("part", "reason", "quantity", "unit_price", "price")]
    rows = [
        [
            line.what,
            f"{line.why} {line.quoted} {content.mark(line.source)} {content.mark(line.quote_source)}".strip(),
            "" if line.quantity is None else say("unit.integer", content.language, value=line.quantity),
            amount(line.unit_price, line.currency, content.language),
            amount(line.price, line.currency, content.language),
        ]
        for line in content.parts
    ]
    marked = None
    if content.total:
        marked = len(rows)
        rows.append([content.say("sheet.parts.total"), "", "", "", amount(*content.total, content.language)])
    remarks = [content.parts_remark] if content.parts_remark else []
    remarks += [content.mixed_currencies] if content.mixed_currencies else []
    said = (tag("p", remark, class_="quiet") for remark in remarks)
    made = table(content.say("sheet.section.parts"), head, rows, marked=marked, numeric=2)
    return _section(content, "parts", tag("div", made, class_="parts"), *said)


def _working(content: Content) -> Markup:
    steps = (
        tag(
            "div",
            tag("p", tag("strong", title), f" {content.mark(step.source)}"),
            tag("p", tag("code", step.formula), " = ", tag("strong", content.result(step))),
            tag("p", content.given_line(step), class_="given"),
            class_="step",
        )
        for step, title in zip(content.steps, content.step_titles, strict=True)
    )
    return _section(content, "working", *steps)


def _sources(content: Content) -> Markup:
    items = (tag("li", content.source_line(key)) for key in content.source_keys)
    return _section(content, "sources", tag("ol", *items))


def _foot(content: Content) -> Markup:
    link = content.request.link
    opened = tag("p", tag("a", content.say("sheet.open"), href=link), tag("br"), tag("small", link)) if link else ""
    return tag("footer", tag("p", content.say("sheet.estimate_note"), class_="quiet"), opened)
