"""Names of the code base stand for one thing each, so that they stay searchable."""

from tests.docs.code_base import modules, repeated_classes, repeated_modules


def test_a_module_name_stands_for_one_concept() -> None:
    assert repeated_modules(modules()) == {}


def test_a_public_class_name_stands_for_one_class() -> None:
    assert repeated_classes(modules()) == {}
