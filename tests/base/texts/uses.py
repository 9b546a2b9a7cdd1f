"""Which texts the code asks for: read out of its string literals, f-strings and calls, without running it."""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

WILD = "\0"
"""What stands for a value in the text of an f-string."""

KEYED = {"Note": 1, "Step": 0, "derive": 0, "SizingError": 0, "refuse": 0, "say": 0, "Word": 0}
"""Calls whose argument is the key of a text, and where it stands."""


@dataclass
class Uses:
    """What a set of files says.

    literals: every string literal, f-strings with WILD for each value.   asked: the same of a keyed call's key, by the
    call's name; where the call gets its key from a variable, every literal of that file counts.   named: the keys that
    stand in the call itself.   listed: starts of keys that the code looks for in a catalogue, to say them all.
    """

    literals: set[str] = field(default_factory=set)
    asked: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in KEYED})
    named: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in KEYED})
    listed: set[str] = field(default_factory=set)

    def of(self, name: str) -> Asked:
        """What a call asks for, as a question that can be put again and again."""
        return Asked(self.asked[name])

    @property
    def words(self) -> Asked:
        """Any literal."""
        return Asked(self.literals)


class Asked:
    """Literals, with WILD for what is only known when the code runs."""

    def __init__(self, literals: Iterable[str]) -> None:
        kept = sorted(literals)
        self.exact = {each for each in kept if WILD not in each}
        # A pattern that names nothing of its own, such as "{a}.{b}", would match everything.
        wild = [each for each in kept if WILD in each and re.search(r"[^\W_]", each.replace(WILD, ""))]
        # Greedy and lazy: "input.{a}.{b}" gives both ways to part "input.memory_rule.vllm-0.20".
        self.patterns = [
            (
                re.compile(gap.join(map(re.escape, re.split(f"{WILD}+", each)))),
                [len(run) for run in re.findall(f"{WILD}+", each)],
            )
            for each in wild
            for gap in ("(.*)", "(.*?)")
        ]

    def asks_for(self, text: str, known: Asked, names: Collection[str] = ()) -> bool:
        """Whether a literal is this text, or leaves gaps that known literals and names fill to make it.

        known: literals that may fill a gap, or make what fills it.   names: more of them, such as ids of a data file.
        """
        return text in self.exact or any(
            all(known.fill(gap, values, names) for gap, values in zip(found.groups(), runs, strict=True))
            for pattern, runs in self.patterns
            if (found := pattern.fullmatch(text))
        )

    def fill(self, gap: str, values: int, names: Collection[str]) -> bool:
        """Whether a gap that so many values fill side by side can be this."""
        if values > 1:
            return any(
                self.fill(gap[:cut], 1, names) and self.fill(gap[cut:], values - 1, names)
                for cut in range(len(gap) + 1)
            )
        return self._plain(gap, names) or any(
            all(self._plain(part, names) for part in found.groups())
            for pattern, _ in self.patterns
            if (found := pattern.fullmatch(gap))
        )

    def _plain(self, text: str, names: Collection[str]) -> bool:
        return text == "" or text in self.exact or text in names


def of_python(code: str) -> Uses:
    """The uses in one file of Python."""
    return _of_tree(ast.parse(code))


def _of_tree(tree: ast.Module) -> Uses:
    uses = Uses({_text(node) for node in _strings(tree)})
    for node in ast.walk(tree):
        if isinstance(node, ast.AugAssign):  # key += "_one" if cards == 1 else ""
            uses.literals |= {WILD + _text(each) for each in _strings(node.value)}
        match node:  # [key for key in catalogue(language) if key.startswith("term.")]
            case ast.comprehension(iter=ast.Call() as of, ifs=[*conditions]) if _called(of) == "catalogue":
                starts = (
                    each for condition in conditions for each in ast.walk(condition) if _called(each) == "startswith"
                )
                uses.listed |= {_text(each) for start in starts for each in _strings(start)}
        name = _called(node)
        if name in KEYED and isinstance(node, ast.Call):
            given = _key(node, KEYED[name])
            if given is not None:
                found = _decided(given)
                uses.named[name] |= found
                uses.asked[name] |= found or uses.literals
    return uses


def _key(call: ast.Call, place: int) -> ast.expr | None:
    if len(call.args) > place:
        return call.args[place]
    return next((each.value for each in call.keywords if each.arg == "key"), None)


def _decided(given: ast.expr) -> set[str]:
    """The keys that an argument can be; none where it is a variable or the like."""
    if isinstance(given, ast.IfExp):
        body, otherwise = _decided(given.body), _decided(given.orelse)
        return body | otherwise if body and otherwise else set()
    is_text = isinstance(given, ast.JoinedStr) or (isinstance(given, ast.Constant) and isinstance(given.value, str))
    return {_text(given)} if is_text else set()  # type: ignore[arg-type]


def _called(node: ast.AST) -> str:
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
    return ""


def _strings(tree: ast.AST) -> Iterator[ast.Constant | ast.JoinedStr]:
    """String literals and f-strings, without docstrings and without the pieces of an f-string."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values if isinstance(part, ast.Constant)}
    for node in ast.walk(tree):
        if id(node) not in skipped and (
            isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        ):
            yield node


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(str(part.value) if isinstance(part, ast.Constant) else WILD for part in node.values)


def of_script(code: str) -> Uses:
    """The uses in JavaScript or a template: quoted texts, and what a template literal leaves open."""
    quoted = re.findall(r'"([^"\n]*)"|\'([^\'\n]*)\'|`([^`]*)`', code)
    texts = {next(filter(None, each), "") for each in quoted}
    return Uses({re.sub(r"\$\{[^}]*\}", WILD, each) for each in texts} | set(re.findall(r"[\w.]+", code)))


def together(all_uses: Iterable[Uses]) -> Uses:
    """One from many."""
    made = Uses()
    for uses in all_uses:
        made.literals |= uses.literals
        made.listed |= uses.listed
        for name in KEYED:
            made.asked[name] |= uses.asked[name]
            made.named[name] |= uses.named[name]
    return made


def of_project(root: Path) -> Uses:
    """Everything under sizing/, what is built from it, and the notebooks."""
    files = itertools.chain((root / "sizing").rglob("*.py"), (root / "scripts").rglob("*.py"))
    python = (of_python(path.read_text(encoding="utf-8")) for path in sorted(files))
    cells = (
        of_python("".join(cell["source"]))
        for path in sorted((root / "notebooks").glob("*.ipynb"))
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    )
    pages = [*(root / "sizing/ui/static").rglob("*.js"), *(root / "sizing/serve/template").rglob("*.*")]
    scripts = (
        of_script(path.read_text(encoding="utf-8")) for path in sorted(pages) if path.suffix in (".js", ".html", ".j2")
    )
    return together(itertools.chain(python, cells, scripts))
