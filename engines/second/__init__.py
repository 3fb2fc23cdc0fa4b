"""Second engines: other implementations of the same rules, which run beside an engine to find its errors.

- `second_engine`: their interface, which is smaller than that of a game
- `engine_difference`: errors that say in what two engines differ
- `checked_game`: a game whose positions compare themselves with those of a second engine
- `second_registry`: the second engines that are installed
- `alquerque_reference`, `toc_reference`, `trox_reference`, `troke_reference`: slow implementations of our games,
  written to the letter of their rules pages
- `spiel_chess`: chess as OpenSpiel plays it
"""
