"""The sheet as one HTML file that opens offline: style and charts inside, no script."""

from __future__ import annotations

from sizing.base.markup import Markup, join, table, tag
from sizing.base.texts import say
from sizing.sheet import drawing
from sizing.sheet.content import Content, Figure, amount
from sizing.sheet.drawing import svg
from sizing.sheet.request import Progress

STEPS = 1
_CSS = f"""
:root {{ color-scheme: light; }}
* {{ box-sizing: border-box; overflow-wrap: anywhere; }}
.sizing-scroll * {{ overflow-wrap: break-word; }}
body {{ margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem;
  background: {drawing.GROUND}; color: {drawing.TEXT};
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; }}
header {{ display: flex; flex-wrap: wrap; gap: .25rem 2rem; justify-content: space-between; color: {drawing.MUTED};
  border-bottom: 1px solid {drawing.LINE}; padding-bottom: .75rem; }}
header p {{ margin: 0; max-width: 44rem; overflow-wrap: anywhere; }}
h1 {{ font-size: 1rem; font-weight: 600; margin: 0; color: {drawing.TEXT}; }}
h2 {{ font-size: 1.05rem; margin: 2.5rem 0 .5rem; }}
.answer {{ font-size: 1.7rem; line-height: 1.25; font-weight: 600; margin: .25rem 0 .5rem; }}
.subject {{ color: {drawing.MUTED}; margin: 1.5rem 0 0; }}
dl {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(7.8rem, 1fr)); gap: 1rem 1.5rem;
  margin: 1.5rem 0 0; }}
dl div {{ border-top: 1px solid {drawing.LINE}; padding-top: .4rem; }}
dt {{ color: {drawing.MUTED}; font-size: .85rem; }}
dd {{ margin: 0; font-size: 1.1rem; font-weight: 600; font-variant-numeric: tabular-nums; }}
.charts {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); gap: 0 2rem; }}
figure {{ margin: 1.25rem 0 0; }}
figcaption {{ font-weight: 600; margin-bottom: .4rem; }}
svg {{ width: 100%; height: auto; font-family: inherit; font-variant-numeric: tabular-nums; }}
.sizing-scroll {{ overflow-x: auto; }}
table {{ border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem; }}
caption {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }}
th, td {{ text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0;
  border-bottom: 1px solid {drawing.GRID}; font-weight: 400; }}
thead th {{ color: {drawing.MUTED}; border-bottom-color: {drawing.LINE}; }}
.sizing-cell {{ text-align: right; }}
.services th:last-child, .services td:last-child {{ text-align: left; }}
.parts .sizing-cell {{ white-space: nowrap; }}
.sizing-chosen th, .sizing-chosen td {{ font-weight: 600; color: {drawing.ACCENT}; }}
.inputs td, .inputs th {{ overflow-wrap: anywhere; }}
.changed th, .changed td {{ font-weight: 600; }}
.stop {{ color: {drawing.LIMIT}; }}
ul, ol {{ padding-left: 1.2rem; }}
li {{ margin: .3rem 0; }}
.step {{ margin: 0 0 .9rem; }}
.step p {{ margin: 0; overflow-wrap: anywhere; }}
.given, small, .quiet {{ color: {drawing.MUTED}; font-size: .85rem; }}
code {{ font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, "Liberation Mono", monospace; font-size: .9em; }}
a {{ color: {drawing.ACCENT}; overflow-wrap: anywhere; }}
@media print {{ body {{ max-width: none; padding: 0; font-size: 9pt; }} h2, figure, .step {{ break-inside: avoid; }} }}
"""


def html(content: Content, progress: Progress) -> bytes:
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
        tag("style", Markup(_CSS)),
    )
    made = f"<!doctype html>\n{tag('html', head, body, lang=content.language)}\n".encode()
    progress.step()
    return made


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


def _figure(content: Content, figure: Figure) -> Markup:
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
