"""A new model from the Hugging Face Hub: its config, the size of one copy of its weights, their storage types.

`sizing.models.hub.lookup` asks for it. It brings the Hub's client, which takes seconds to load: import it late.
"""
