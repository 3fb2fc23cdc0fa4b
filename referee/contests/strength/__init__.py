"""Playing strength: ratings that follow each match, and estimates from all results at once.

finish_order      the ranks of a match's sides: all that ratings use of a match
rating            ratings after each match, by the model of Weng and Lin
elo               the Elo scale, and estimates of a difference with confidence intervals
outcome_counts    counted outcomes of sets, and their likelihood
sprt_evaluation   the sequential probability ratio test: state and verdict
bradley_terry     strengths that explain all results of a field
"""
