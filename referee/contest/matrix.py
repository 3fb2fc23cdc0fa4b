"""Symmetric positive definite matrices, by Cholesky's square root. Good for some hundred rows."""

from collections.abc import Sequence
from math import sqrt
from operator import mul

Vector = Sequence[float]
Matrix = Sequence[Vector]


def root(matrix: Matrix) -> list[list[float]]:
    """The lower triangle L, row by row, with L times its transpose equal to the matrix."""
    rows: list[list[float]] = []
    for i, of_matrix in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            row.append((of_matrix[j] - product(row, rows[j])) / rows[j][j])
        row.append(sqrt(of_matrix[i] - product(row, row)))
        rows.append(row)
    return rows


def solved(lower: Matrix, right: Vector) -> list[float]:
    """The x that the matrix takes to `right`, given the matrix's root."""
    half: list[float] = []
    for row, value in zip(lower, right, strict=True):
        half.append((value - product(half, row)) / row[-1])
    found = half
    for i in reversed(range(len(found))):
        found[i] /= lower[i][i]
        for j in range(i):
            found[j] -= lower[i][j] * found[i]
    return found


def inverse_columns(lower: Matrix) -> list[list[float]]:
    """The columns of a root's inverse. Products of two of them are the entries of the inverse of the matrix."""
    columns: list[list[float]] = []
    for start in range(len(lower)):
        column = [0.0] * start + [1 / lower[start][start]]
        for i in range(start + 1, len(lower)):
            column.append(-product(lower[i][start:i], column[start:]) / lower[i][i])
        columns.append(column)
    return columns


def product(one: Vector, other: Vector) -> float:
    """The scalar product, of as many places as the shorter vector has."""
    return float(sum(map(mul, one, other)))
