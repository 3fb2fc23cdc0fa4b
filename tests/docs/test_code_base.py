"""Names of the code base stand for one thing each, so that they stay searchable; and no class needs too much."""

from tests.docs.code_base import constructors_with_more_parameters, modules, repeated_classes, repeated_modules


def test_a_module_name_stands_for_one_concept() -> None:
    assert repeated_modules(modules()) == {}


def test_a_public_class_name_stands_for_one_class() -> None:
    assert repeated_classes(modules()) == {}


def test_no_constructor_has_more_than_eight_parameters() -> None:
    assert constructors_with_more_parameters(8, modules()) == []
