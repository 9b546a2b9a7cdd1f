"""What pytest must know before it collects: a part that needs an extra has no doctests where the extra is missing."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("aiconfigurator_core") else ["sizing/speed/aic.py"]
