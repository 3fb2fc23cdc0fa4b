"""The clauses, in the order in which they are tried: those after which the program has ended come last."""

from referee.conformance.clause import Clause
from referee.conformance.clauses import answering, leaving, newer, repeating

CLAUSES = tuple(Clause(story) for part in (answering, repeating, newer, leaving) for story in part.STORIES)
