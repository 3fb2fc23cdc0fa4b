"""The doctor, as a command."""

import json
from dataclasses import asdict

import click

from referee.cli.choosing import Refusing
from referee.cli.settings import settings_options
from referee.operating.doctor.examination import examined
from referee.operating.doctor.finding import Finding, State, worst
from referee.settings.reading import InForce

STATUS = {State.OK: 0, State.WARN: 3, State.BAD: 4}
COLOUR = {State.OK: "green", State.WARN: "yellow", State.BAD: "red"}


@click.command(cls=Refusing)
@click.option("--json", "as_json", is_flag=True, help="One array of findings, for programs.")
@settings_options
@click.pass_context
def doctor(context: click.Context, in_force: InForce, as_json: bool) -> None:
    """Look at all that the server stands on, and say what would hurt; it may run meanwhile. Nothing is changed.

    Takes the settings as `referee serve` does. The exit status is 0 if all is well, 3 if something will hurt, and 4
    if something is bad; 2, as ever, if the settings cannot be read at all.
    """
    findings = []
    for finding in examined(in_force):
        findings.append(finding)
        if not as_json:
            click.echo(_line(finding))
    if as_json:
        click.echo(json.dumps([{**asdict(finding), "state": finding.state.value} for finding in findings], indent=2))
    context.exit(STATUS[worst(findings)])


def _line(finding: Finding) -> str:
    state = click.style(f"{finding.state.value:4}", fg=COLOUR[finding.state], bold=finding.state is not State.OK)
    advice = f": {finding.advice}" if finding.advice else ""
    return f"{state}  {finding.about:13}  {finding.sentence}{advice}"
