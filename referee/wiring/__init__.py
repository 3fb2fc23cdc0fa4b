"""Joins the rooms. Only here is chosen which adapter stands behind a port.

`books` are what is remembered, the `hall` is where matches and contests are held, the `front` is what strangers can
call, `bounds` are what the settings mean to each of them, and the `house` is all of it together.
"""
