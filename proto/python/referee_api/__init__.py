"""The contract of Referee. `referee_api.v1` holds its first version."""
