"""Symmetric positive definite matrices, by Cholesky's square root. Good for some hundred rows."""

from collections.abc import Sequence
from math import sqrt

Vector = Sequence[float]
Matrix = Sequence[Vector]


def root(matrix: Matrix) -> list[list[float]]:
    """The lower triangle L, row by row, with L times its transpose equal to the matrix."""
    rows: list[list[float]] = []
    for i, of_matrix in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            row.append((of_matrix[j] - _dot(row, rows[j])) / rows[j][j])
        row.append(sqrt(of_matrix[i] - _dot(row, row)))
        rows.append(row)
    return rows


def solved(lower: Matrix, right: Vector) -> list[float]:
    """The x that the matrix takes to `right`, given the matrix's root."""
    half: list[float] = []
    for row, value in zip(lower, right, strict=True):
        half.append((value - _dot(half, row)) / row[-1])
    found = half
    for i in reversed(range(len(found))):
        found[i] /= lower[i][i]
        for j in range(i):
            found[j] -= lower[i][j] * found[i]
    return found


def inverse(lower: Matrix) -> list[list[float]]:
    """The inverse of the matrix whose root this is."""
    size = len(lower)
    return [solved(lower, [float(row == column) for row in range(size)]) for column in range(size)]


def _dot(one: Vector, other: Vector) -> float:
    """Of as many places as the shorter one has."""
    return sum(a * b for a, b in zip(one, other, strict=False))
