"""The referee on the wire: a thin servicer per service of the contract, and the door that all calls pass."""
