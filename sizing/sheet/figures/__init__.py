"""Figures as plain plotly dicts, built from a handful of marks: pages draw them with plotly, the sheet as vectors."""
