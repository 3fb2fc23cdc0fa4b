"""The referee: matches, clocks, contests, and the adapters around them."""
