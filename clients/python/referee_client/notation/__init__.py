"""Parsers for the notation of each game: positions and moves as plain values.

They are for bots that have their own rules. They parse what the referee sends, and do not check whether it is legal.
"""
