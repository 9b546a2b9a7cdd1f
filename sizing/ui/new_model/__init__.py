"""The written parts of the page for a new model."""
