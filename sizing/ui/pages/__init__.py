"""Pages: one file each, which puts controls, charts and texts together and calculates nothing."""
