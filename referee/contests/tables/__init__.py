"""Tables of results.

round_result    what one entrant did in one round
tiebreak        tie-breaks of FIDE's C.07
standings       standings, and the cross table
trf             FIDE's tournament report file, TRF16: write and read
"""
