"""The written parts of the pages."""
