"""In place of JupyterLite's installer: everything that the pages need is in the site, and nothing else is fetched."""
