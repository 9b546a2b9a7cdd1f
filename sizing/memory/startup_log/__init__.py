"""What a vLLM start-up log says."""

from sizing.memory.startup_log.reading import MOST_CHARACTERS, Found, StartupLog, read

__all__ = ["MOST_CHARACTERS", "Found", "StartupLog", "read"]
