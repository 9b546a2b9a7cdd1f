"""The parts of the call page."""
