"""Charts: one file each, ``build(sizing, language)`` gives a plain plotly figure and ``alt`` the same in words."""
