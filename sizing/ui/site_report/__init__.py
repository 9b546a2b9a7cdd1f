"""The written parts of the site page."""
