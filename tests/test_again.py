"""Tests that failed are found again by their names, also those of a group."""

from tests.again import names_of_failed


def test_failed_tests_are_named_without_their_groups() -> None:
    cached = """{
      "tests/a/test_b.py::test_plain": true,
      "tests/a/test_b.py::test_with[go]@tests.a.test_b": true,
      "tests/a/test_b.py::test_with[user@host]": true,
      "tests/a/test_b.py::test_with[user@host]@tests.a.test_b": true,
      "tests/a/test_c.py": true
    }"""
    assert names_of_failed(cached) == [
        "tests/a/test_b.py::test_plain",
        "tests/a/test_b.py::test_with[go]",
        "tests/a/test_b.py::test_with[user@host]",
        "tests/a/test_c.py",
    ]
