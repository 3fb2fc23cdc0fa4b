"""`referee doctor`: check what a server stands on."""

import json
from dataclasses import asdict

import click

from referee.cli._shared.game_options import GameCommand
from referee.cli.settings import settings_options
from referee.server.maintenance.doctor.examination import examine
from referee.server.maintenance.doctor.finding import Finding, Severity, worst
from referee.server.settings_reader import LoadedSettings

STATUS = {Severity.OK: 0, Severity.WARN: 3, Severity.BAD: 4}
COLOUR = {Severity.OK: "green", Severity.WARN: "yellow", Severity.BAD: "red"}


@click.command(cls=GameCommand)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as a JSON array.")
@settings_options
@click.pass_context
def doctor(context: click.Context, in_force: LoadedSettings, as_json: bool) -> None:
    """Check disk, lock, schema, key and ports of a server and report problems. Nothing is changed; it may be running.

    Settings are read as by `referee serve`. The exit status is 0 if there are no problems, 3 with warnings, 4 with
    errors, and 2 if the settings cannot be read.
    """
    findings = []
    for finding in examine(in_force.settings):
        findings.append(finding)
        if not as_json:
            click.echo(_line(finding))
    if as_json:
        click.echo(json.dumps([{**asdict(finding), "state": finding.state.value} for finding in findings], indent=2))
    context.exit(STATUS[worst(findings)])


def _line(finding: Finding) -> str:
    state = click.style(f"{finding.state.value:4}", fg=COLOUR[finding.state], bold=finding.state is not Severity.OK)
    advice = f": {finding.advice}" if finding.advice else ""
    return f"{state}  {finding.about:13}  {finding.sentence}{advice}"
