"""What goes on paper: `sizing.sheet.sheets` makes it, its charts are the pages' own `sizing.sheet.figures`."""
