"""The pages look and behave on Binder as they do with ``sizing-workbook``: the same configuration."""

from traitlets.config import Config

from sizing.serve.voila import configuration

c = get_config()  # noqa: F821  given by Jupyter
c.merge(Config(configuration()))
