"""Pairing systems.

- `schedule`: round robin by Berger tables, gauntlet, and tables of several entrants in pools
- `pool_designs`: tables at which all entrants meet equally often
- `swiss`: a round of FIDE's Dutch system, with its allocation of colours, and virtual points (Baku)
- `dutch`: the search for the pairs of a Swiss round
- `criteria`: the criteria of FIDE, as weights of pairs
- `matching`: maximum-weight perfect matching with updates, used by `dutch`
- `knockout`: brackets of single and double elimination, and how far they have been played
"""
