"""How the games are written: positions and moves of each, as plain values.

For bots that bring their own rules. They read what the referee sends; they do not say whether it is legal.
"""
