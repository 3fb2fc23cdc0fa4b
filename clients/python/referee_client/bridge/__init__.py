"""Any program that reads lines and writes lines is a bot: `referee-bridge -- ./mybot`."""
