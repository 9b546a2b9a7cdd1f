"""What vLLM prints at its start: blocks, tokens, concurrency, or why it refuses.

Written after the rules of the engine's own planning code, release by release; no line of it is the engine's.
"""

from sizing.memory.vllm.result import Startup
from sizing.memory.vllm.settings import CAPABILITIES, KV_DTYPES, Refusal
from sizing.memory.vllm.start import startup
from sizing.memory.vllm.steps import explain

__all__ = ["CAPABILITIES", "KV_DTYPES", "Refusal", "Startup", "explain", "startup"]
