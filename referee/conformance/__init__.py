"""Does a bot, or a client library, keep to the protocol? The kit plays it clause by clause."""
