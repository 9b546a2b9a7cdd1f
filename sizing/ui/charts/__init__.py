"""Charts by the page that shows them; those that the sheet shows too stand in ``sizing.sheet.figures``."""
