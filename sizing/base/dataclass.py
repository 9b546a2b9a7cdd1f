"""The standard library's ``dataclass``, made when its first instance is.

Making one runs the compiler half a dozen times, which takes longer than loading the rest of its file; the package has
two hundred, and a sizing uses twenty of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from _thread import RLock  # what threading offers, which takes longer to load than this file

    _LOCK = RLock()

    def dataclass(cls=None, /, **options):
        """As the standard library's, with its options; ``slots``, which makes another class, counts for nothing."""
        if cls is None:
            return lambda cls: dataclass(cls, **options)
        _Later(cls, {name: value for name, value in options.items() if name != "slots"})
        return cls

    class _Later:
        """Stands for the fields of a class until anyone asks for them, who may be the first instance."""

        def __init__(self, cls, options):
            self.cls, self.options, self.made = cls, options, False

            def __init__(made, *args, **values):  # noqa: N807
                self.make()
                cls.__init__(made, *args, **values)

            def __setstate__(made, state):  # noqa: N807
                self.make()
                made.__dict__.update(state)

            cls.__init__, cls.__setstate__, cls.__dataclass_fields__ = __init__, __setstate__, self

        def __get__(self, instance, owner):
            self.make()
            return self.cls.__dataclass_fields__

        def make(self):
            """Everything but ``__init__`` first, so that another thread finds either nothing or all of it."""
            with _LOCK:
                if not self.made:
                    import dataclasses

                    dataclasses.dataclass(init=False, **self.options)(self.cls)
                    self.cls.__init__ = _init(self.cls, self.options.get("frozen", False), dataclasses)
                    self.made = True

    def _init(cls, frozen, dataclasses):
        scope: dict[str, Any] = {"set_": object.__setattr__}
        plain, by_name, lines = [], [], []
        for field in dataclasses.fields(cls):
            name, given = field.name, ""
            value = name
            if field.default is not dataclasses.MISSING:
                scope[f"default_{name}"] = field.default
                given = f"=default_{name}"
            elif field.default_factory is not dataclasses.MISSING:
                scope[f"make_{name}"] = field.default_factory
                given, value = f"=make_{name}", f"make_{name}() if {name} is make_{name} else {name}"
            (by_name if field.kw_only else plain).append(name + given)
            lines.append(f"set_(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            lines.append("self.__post_init__()")
        heads = ", ".join(["self", *plain, *(["*", *by_name] if by_name else [])])
        body = "\n ".join(lines or ["pass"])
        exec(f"def __init__({heads}):\n {body}", scope)
        made = scope["__init__"]
        made.__annotations__ = {field.name: field.type for field in dataclasses.fields(cls)} | {"return": None}
        return made


__all__ = ["dataclass"]
