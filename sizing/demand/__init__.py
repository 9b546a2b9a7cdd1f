"""How many requests run at once: from people, from a mix of conversation lengths, and back from any side."""
