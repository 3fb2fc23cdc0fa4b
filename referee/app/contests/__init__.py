"""Ladders and tournaments: many matches, made and rated by the referee itself."""
