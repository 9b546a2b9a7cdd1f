"""What one request asks of the engine: how its context is made up."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Request:
    """A conversation that holds its full context: history in the cache, then new tokens, then the answer. [tokens]

    cut: the new tokens or the answer are longer than the context, and are counted as far as it reaches.
    """

    history_tokens: int
    prompt_tokens: int
    answer_tokens: int
    cut: bool

    @property
    def mean_context_tokens(self) -> int:
        """What a decoding step finds in the cache on average: all but half of the answer. [tokens]"""
        return self.history_tokens + self.prompt_tokens + self.answer_tokens // 2


def request(scenario: Scenario) -> Request:
    """The request of a scenario.

    >>> request(Scenario(context_tokens=8192, prompt_tokens=2048, answer_tokens=512)).history_tokens
    5632
    """
    context = scenario.context_tokens
    prompt = min(scenario.prompt_tokens, max(1, context - 1))
    answer = min(scenario.answer_tokens, max(1, context - prompt))
    cut = prompt < scenario.prompt_tokens or answer < scenario.answer_tokens
    return Request(max(0, context - prompt - answer), prompt, answer, cut)
