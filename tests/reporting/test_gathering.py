"""What a report asks of a referee that runs."""

from referee.reporting.gathering import RECORDS_AT_MOST
from referee.settings.declared import Settings


def test_a_report_leaves_its_organiser_half_of_the_calls_of_a_minute() -> None:
    assert Settings().calls_per_minute / 2 >= RECORDS_AT_MOST
