"""Writes data/engines/model_types.csv: which model types engine releases serve, and what their classes read.

    python scripts/read_model_types.py transformers-*.whl vllm-*.whl vllm-*.whl sglang-*.whl

The wheels are read as text, never installed or run. Kinds of row:
    type     a model_type: files of the classes that serve it; keys that its configuration class declares, as
             key or key=default where the default is a number, true, false or null
    class    an architecture of an engine's registry: the files that hold it
    both_ways an architecture for which the engine turns attention both ways
    encoder  a file whose attention reads every token at once, in every class of it
    pools    an architecture of an engine's registry that stands only among those for embeddings and scores
    file     keys that the code of a file reads from its config, with those of the files it builds on
"everything" is the file of what the engine itself reads for any model. Only keys that a reader of caches could mistake
are kept: what sizing/memory/config/known_keys.py takes for feed-forward, numerical or another part's is left out.
"""

from __future__ import annotations

import ast
import csv
import re
import sys
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from sizing.memory.config.known_keys import says_nothing, understood

OUT = Path(__file__).parents[1] / "data" / "engines" / "model_types.csv"
LISTS = Path(__file__).parents[1] / "sizing" / "memory" / "config" / "known_keys.toml"
FOLDERS = ("vllm/model_executor/models/", "vllm/models/", "sglang/srt/models/")
CONFIGS = ("vllm/transformers_utils/configs/", "sglang/srt/configs/", "transformers/models/")
GENERAL = re.compile(
    r"vllm/transformers_utils/(config|model_arch_config_convertor)\.py|sglang/srt/configs/model_config\.py"
)
HELPERS = {"utils", "interfaces", "interfaces_base", "registry", "vision", "adapters", "module_mapping", "config"}
OWNER = re.compile(r"(config|cfg|hf|args)$")
SOURCE = "model-classes"
SERVED = re.compile(r"ForCausalLM|ForConditionalGeneration|LMHeadModel")
GEOMETRY = {
    "num_hidden_layers", "hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim", "sliding_window",
    "vocab_size", "intermediate_size", "max_position_embeddings", "n_layer", "n_embd", "n_head", "kv_lora_rank",
    "use_sliding_window", "max_window_layers",
    "text_config",
}  # fmt: skip
KEY = re.compile(r"_?[a-zA-Z][a-zA-Z0-9_]{1,60}")


def reads(tree: ast.AST) -> Iterator[str]:
    """Names that the code takes from an object that is called a config."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
            if OWNER.search(owner):
                yield node.attr
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ("getattr", "hasattr", "get", "pop", "getattr_iter"):
                for argument in node.args[:2]:
                    for inner in argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]:
                        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                            yield inner.value


def built_on(tree: ast.AST, folder: str) -> Iterator[str]:
    """Files of the same folders that the code imports, by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                yield from [module.split(".")[-1]] if module else [alias.name for alias in node.names]
            elif (hit := re.match(r"(?:vllm\.model_executor|vllm|sglang\.srt)\.models\.(\w+)", module)) is not None:
                yield hit[1]


def registry(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """(architecture, file) of the dictionaries of vLLM's registry."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(value, ast.Tuple) and len(value.elts) == 2:
                    file = value.elts[0]
                    if isinstance(file, ast.Constant) and isinstance(file.value, str):
                        yield str(key.value), file.value.removeprefix("vllm.models.").split(".")[0]


POOLING = re.compile(r"_(EMBEDDING|CROSS_ENCODER|LATE_INTERACTION|REWARD|(SEQUENCE|TOKEN)_CLASSIFICATION)_MODELS")
# Files whose text part is an encoder's by what they build on, or in the configuration's own library.
ENCODERS = {"roberta", "siglip2"}


def pools(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """(architecture, whether it stands among those for embeddings and scores) of each list of vLLM's registry."""
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Dict):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            alone = POOLING.fullmatch(getattr(target, "id", "")) is not None
            yield from ((plain_text(key), alone) for key in node.value.keys if plain_text(key))


def only_encodes(tree: ast.Module) -> bool:
    """Whether a file takes the attention of encoders and no other from the engine's layers."""
    modules = [
        node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and "attention" in (node.module or "")
    ]
    taken = {name.name for module in modules for name in module.names}
    return "EncoderOnlyAttention" in taken and "Attention" not in taken


def both_ways(tree: ast.Module) -> Iterator[str]:
    """Architectures for which the engine sets is_causal to false whatever their config says."""
    set_so = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any(turns(step) for method in node.body for step in unconditional(method))
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict):
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(key, ast.Constant) and getattr(value, "id", "") in set_so:
                    yield key.value


def unconditional(method: ast.stmt) -> Iterator[ast.stmt]:
    """The steps of a method up to its first condition."""
    for step in getattr(method, "body", ()):
        if isinstance(step, ast.If):
            return
        yield step


def turns(step: ast.stmt) -> bool:
    """A plain ``... .is_causal = False``, under no condition."""
    return (
        isinstance(step, ast.Assign)
        and getattr(step.targets[0], "attr", "") == "is_causal"
        and getattr(step.value, "value", None) is False
    )


def entry_classes(tree: ast.Module) -> Iterator[str]:
    """Architectures that a file of SGLang offers."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "EntryClass" for target in node.targets):
            yield from (inner.id for inner in ast.walk(node.value) if isinstance(inner, ast.Name))


def declared(body: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    """(key, default) of a configuration class: its fields, or the arguments of its constructor."""
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if node.target.id != "text_config":
                yield node.target.id, plain(node.value)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Dict):
            yield from text_part(node.value)
        elif isinstance(node, ast.FunctionDef) and node.name == "__init__":
            arguments = node.args.args[1:] + node.args.kwonlyargs
            defaults = [None] * (len(node.args.args) - 1 - len(node.args.defaults)) + node.args.defaults
            for argument, default in zip(arguments, defaults + node.args.kw_defaults, strict=False):
                yield argument.arg, plain(default)


def text_part(parts: ast.Dict) -> Iterator[tuple[str, str]]:
    """The type that a class of several parts takes for its language model, as text_config="type"."""
    for key, value in zip(parts.keys, parts.values, strict=True):
        if isinstance(key, ast.Constant) and key.value in ("text_config", "thinker_config"):
            for word in getattr(value, "keywords", ()):
                if word.arg == "model_type" and isinstance(word.value, ast.Constant):
                    yield "text_config", f'"{word.value.value}"'
            if isinstance(value, ast.Name):
                yield "text_config", f"class {value.id}"


def plain(node: ast.expr | None) -> str:
    """A default as JSON, "" where it is no number, flag or null."""
    try:
        value = ast.literal_eval(node) if node is not None else ""
    except ValueError:
        return ""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value) if isinstance(value, int) else ""


def main(wheels: list[str]) -> None:
    files: dict[str, set[str]] = {"everything": set()}
    bases: dict[str, set[str]] = {}
    classes: dict[str, set[str]] = {}
    configs: dict[str, tuple[list[str], dict[str, str], str, str]] = {}
    mapping: dict[str, set[str]] = {}
    names: dict[str, str] = {}
    turned: set[str] = set()
    encoding = set(ENCODERS)
    pooling: dict[str, set[bool]] = {}
    for wheel in wheels:
        archive = zipfile.ZipFile(wheel)
        for path in archive.namelist():
            folder = next((start for start in FOLDERS if path.startswith(start)), "")
            config = path.startswith(CONFIGS) and ("configuration_" in path or not path.startswith("transformers"))
            auto = path.startswith("transformers/models/auto/")
            if not path.endswith(".py") or not (
                folder or config or auto or GENERAL.fullmatch(path) or path == "vllm/transformers_utils/config.py"
            ):
                continue
            tree = ast.parse(archive.read(path))
            if GENERAL.fullmatch(path):
                files["everything"] |= set(reads(tree))
            if folder:
                stem = path.removeprefix(folder).split("/")[0].removesuffix(".py")
                if stem == "registry":
                    for architecture, file in registry(tree):
                        classes.setdefault(architecture, set()).add(file)
                    for architecture, alone in pools(tree):
                        pooling.setdefault(architecture, set()).add(alone)
                elif stem == "config":
                    turned |= set(both_ways(tree))
                elif stem not in HELPERS:
                    files.setdefault(stem, set()).update(reads(tree))
                    bases.setdefault(stem, set()).update(built_on(tree, folder))
                    if only_encodes(tree):
                        encoding.add(stem)
                    for architecture in entry_classes(tree):
                        classes.setdefault(architecture, set()).add(stem)
            if path == "vllm/transformers_utils/config.py":
                for node in ast.walk(tree):
                    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "LazyConfigDict":
                        names |= {
                            word.arg: word.value.value
                            for word in node.keywords
                            if word.arg and isinstance(word.value, ast.Constant)
                        }
            if auto:
                for node in ast.walk(tree):
                    if isinstance(node, ast.Tuple) and len(node.elts) == 2:
                        one, two = (getattr(part, "value", None) for part in node.elts)
                        if isinstance(one, str) and isinstance(two, str):
                            if "configuration_auto" in path or "auto_mappings" in path:
                                names.setdefault(one, two)
                            else:
                                mapping.setdefault(one, set()).add(two)
            if config:
                for node in ast.walk(tree):
                    if isinstance(node, ast.ClassDef):
                        word = next(
                            (
                                plain_text(item.value)
                                for item in node.body
                                if isinstance(item, (ast.Assign, ast.AnnAssign)) and model_type(item)
                            ),
                            "",
                        )
                        own = [base.id for base in node.bases if isinstance(base, ast.Name)]
                        configs[node.name] = (own, dict(declared(node.body)), word, path)
                        if word:
                            names.setdefault(word, node.name)

    def inherited(name: str, seen: frozenset[str] = frozenset()) -> dict[str, str]:
        if name not in configs or name in seen:
            return {}
        own, keys, *_ = configs[name]
        found: dict[str, str] = {}
        for base in own:
            found |= inherited(base, seen | {name})
        return found | {key: value for key, value in keys.items() if key != "text_config" or value != "null"}

    def closure(stem: str, seen: set[str]) -> set[str]:
        if stem in seen or stem not in files:
            return set()
        seen.add(stem)
        return files[stem].union(*(closure(base, seen) for base in bases.get(stem, ())))

    known = understood()
    suspect = set(tomllib.loads(LISTS.read_text(encoding="utf-8"))["suspect"].split())
    every = (
        {name for read in files.values() for name in read if KEY.fullmatch(name) and not says_nothing(name)}
        - known
        - suspect
    )
    for stem in files:
        files[stem] &= suspect
    for stem in files:
        if any(stem in held for held in classes.values()):
            names.setdefault(stem, "")
    together: dict[str, set[str]] = {}
    served: dict[str, set[str]] = {}
    for word, name in names.items():
        served[word] = set().union(*(classes.get(held, set()) for held in mapping.get(word, ()))) | (
            {word} & set(files)
        )
        together.setdefault(configs[name][3] if name in configs else word, set()).update(served[word])
    with OUT.open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(("kind", "name", "files", "keys", "source"))
        for word, name in sorted(names.items()):
            keys = inherited(name)
            held = served[word] or together.get(configs[name][3] if name in configs else word, set())
            generates = any(SERVED.search(architecture) for architecture in mapping.get(word, ()))
            if not held and not generates:
                continue
            every |= {key for key in keys if KEY.fullmatch(key) and not says_nothing(key)} - known - suspect
            part = keys.get("text_config", "")
            if part.startswith("class "):
                keys["text_config"] = f'"{configs[part[6:]][2]}"' if configs.get(part[6:], ("", "", ""))[2] else ""
            shown = [f"{key}={keys[key]}" for key in sorted(keys) if keys[key] and key in GEOMETRY]
            rows.writerow(("type", word, " ".join(sorted(held)), " ".join(shown), SOURCE))
        for architecture, held in sorted(classes.items()):
            rows.writerow(("class", architecture, " ".join(sorted(held)), "", ""))
        for stem in sorted(files):
            reach = sorted(closure(stem, set()) - files["everything"]) if stem != "everything" else sorted(files[stem])
            if reach:
                rows.writerow(("file", stem, "", " ".join(reach), ""))
        for architecture in sorted(turned):
            rows.writerow(("both_ways", architecture, "", "", ""))
        writes = {file for name, lists in pooling.items() if lists != {True} for file in classes.get(name, ())}
        encoding -= writes
        for stem in sorted(encoding):
            rows.writerow(("encoder", stem, "", "", SOURCE))
        for architecture, lists in sorted(pooling.items()):
            if lists == {True} and architecture not in turned and not classes.get(architecture, {""}) <= encoding:
                rows.writerow(("pools", architecture, "", "", SOURCE))
        rows.writerow(("words", "", "", " ".join(sorted(every)), ""))


def model_type(item: ast.Assign | ast.AnnAssign) -> bool:
    targets = item.targets if isinstance(item, ast.Assign) else [item.target]
    return any(getattr(target, "id", "") == "model_type" for target in targets)


def plain_text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


if __name__ == "__main__":
    main(sys.argv[1:])
