"""Playing strength: ratings that follow each match, and estimates from all results at once.

- `rating`: the finish order of a match, and ratings after it by the model of Weng and Lin
- `elo`: the Elo scale, counted outcomes of sets, and estimates of a difference with confidence intervals
- `sprt_evaluation`: the sequential probability ratio test: state and verdict
- `bradley_terry`: strengths that explain all results of a field
- `joint_fit`: strengths of a ladder, where most pairs have never met
"""
