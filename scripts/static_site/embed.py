"""In place of IPython's shell for terminals, which its package imports at once and which a browser cannot have."""


def embed(**_settings: object) -> None:
    """Say so."""
    raise RuntimeError("a browser has no terminal")
