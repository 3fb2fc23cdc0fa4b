"""A demonstration: three nodes play a ladder, and one of them is killed. `make cluster` runs it."""
