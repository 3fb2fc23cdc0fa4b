"""Runs any program that reads and writes lines as a bot: `referee-bridge -- ./mybot`."""
