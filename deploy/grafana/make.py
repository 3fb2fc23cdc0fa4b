"""Generate the files in dashboards/: `python deploy/grafana/make.py`. Edit this file, not the generated JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "dashboards"
SOURCE = {"type": "prometheus", "uid": "${source}"}
HERE = 'instance=~"$instance"'
GAME = f'{HERE}, game=~"$game"'
WIDE = 24
"""Columns of Grafana's grid."""
HIGH = 8


@dataclass(frozen=True)
class Panel:
    title: str
    means: str
    unit: str
    queries: dict[str, str]
    """Legend to query."""
    kind: str = "timeseries"


@dataclass(frozen=True)
class Dashboard:
    uid: str
    title: str
    rows: dict[str, Sequence[Panel]]
    by_game: bool = False


def rate(metric: str, labels: str, *by: str) -> str:
    return f"sum by ({', '.join(by)}) (rate({metric}{{{labels}}}[$__rate_interval]))"


def quantile(q: float, metric: str, labels: str, *by: str) -> str:
    return f"histogram_quantile({q}, {rate(f'{metric}_bucket', labels, *by, 'le')})"


def risen(metric: str, labels: str, *by: str) -> str:
    return f"sum by ({', '.join(by)}) (increase({metric}{{{labels}}}[$__range]))"


FORFEITED = f'{GAME}, kind="forfeited"'
BOTS = Dashboard(
    "referee-bots",
    "Referee: bots",
    {
        "Time": [
            Panel(
                "Thinking",
                "Time charged to bots per move.",
                "s",
                {
                    "median {{game}}": quantile(0.5, "referee_think_seconds", GAME, "game"),
                    "99 % {{game}}": quantile(0.99, "referee_think_seconds", GAME, "game"),
                },
            ),
            Panel(
                "Waiting for a decision",
                "From the arrival of a move until it is decided. No clock runs meanwhile.",
                "s",
                {"99 % {{game}}": quantile(0.99, "referee_decision_seconds", GAME, "game")},
            ),
            Panel(
                "Time credited per move",
                "Network time and referee delay that were credited back.",
                "s",
                {
                    "network {{game}}": rate("referee_network_credit_seconds_total", GAME, "game")
                    + " / "
                    + rate("referee_moves_total", GAME, "game"),
                    "stall {{game}}": rate("referee_stall_given_back_seconds_total", GAME, "game")
                    + " / "
                    + rate("referee_moves_total", GAME, "game"),
                },
            ),
        ],
        "Play": [
            Panel(
                "Matches",
                "Matches that are not over.",
                "short",
                {"{{game}} {{phase}}": f"sum by (game, phase) (referee_matches{{{GAME}}})"},
            ),
            Panel(
                "Moves",
                "Moves per second, by who chose them: the bot or a policy.",
                "cps",
                {"{{game}} {{source}}": rate("referee_moves_total", GAME, "game", "source")},
            ),
            Panel(
                "Bots",
                "Away: in a match, but without a session. The clock runs.",
                "short",
                {"{{presence}}": f"sum by (presence) (referee_bots{{{HERE}}})"},
            ),
        ],
        "Problems": [
            Panel(
                "Forfeits",
                "By cause: time, illegal move, disconnected.",
                "cps",
                {"{{game}} {{cause}}": rate("referee_matches_ended_total", FORFEITED, "game", "cause")},
            ),
            Panel(
                "Flag falls",
                "By cause: no answer, late answer, or no session.",
                "cps",
                {"{{game}} {{cause}}": rate("referee_flags_fallen_total", GAME, "game", "cause")},
            ),
            Panel(
                "Errors",
                "Errors returned to callers, by reason.",
                "cps",
                {"{{reason}}": rate("referee_refusals_total", HERE, "reason")},
            ),
            Panel(
                "Repeated requests",
                "Requests that were answered from an earlier result, without effect.",
                "cps",
                {"{{method}}": rate("referee_duplicates_absorbed_total", HERE, "method")},
            ),
        ],
    },
    by_game=True,
)

OPERATORS = Dashboard(
    "referee-operators",
    "Referee: operators",
    {
        "Now": [
            Panel("Up", "1: Prometheus can reach the server.", "short", {"{{instance}}": 'up{job="referee"}'}, "stat"),
            Panel(
                "Ready",
                "1: the server accepts new matches.",
                "short",
                {"{{instance}}": f"referee_ready{{{HERE}}}"},
                "stat",
            ),
            Panel("Release", "The running version.", "short", {"{{version}}": f"referee_build_info{{{HERE}}}"}, "stat"),
            Panel(
                "Alerts",
                "Firing alerts; docs/operations.md has a runbook for each.",
                "short",
                {"{{alertname}}": 'ALERTS{alertstate="firing", alertname=~"Referee.*"}'},
                "stat",
            ),
            Panel(
                "Certificate",
                "Time until the certificate expires.",
                "s",
                {"{{instance}}": f"referee_certificate_expiry_timestamp_seconds{{{HERE}}} - time()"},
                "stat",
            ),
            Panel(
                "Resume gaps",
                "Entries that a watcher missed or received twice. Must stay 0.",
                "short",
                {"{{instance}}": f"referee_resume_gaps_total{{{HERE}}}"},
                "stat",
            ),
        ],
        "Calls": [
            Panel(
                "Calls",
                "Finished calls, by method and status code.",
                "reqps",
                {"{{method}} {{code}}": rate("referee_rpcs_total", HERE, "method", "code")},
            ),
            Panel(
                "Call duration",
                "Unary calls only.",
                "s",
                {"99 % {{method}}": quantile(0.99, "referee_rpc_seconds", HERE, "method")},
            ),
            Panel(
                "Streams and sessions",
                "Open streams, by method, and open sessions.",
                "short",
                {
                    "{{method}}": f"sum by (method) (referee_streams_open{{{HERE}}})",
                    "sessions": f"sum (referee_sessions{{{HERE}}})",
                },
            ),
        ],
        "Front door": [
            Panel(
                "Connections and calls",
                "Open at the front doors.",
                "short",
                {
                    "connections": f"sum by (instance) (referee_edge_open_connections{{{HERE}}})",
                    "calls": f"sum by (instance) (referee_edge_open_calls{{{HERE}}})",
                },
            ),
            Panel(
                "Refused at the front door",
                "Connections and calls above a limit.",
                "cps",
                {
                    "connections": rate("referee_edge_connections_refused_total", HERE, "instance"),
                    "calls": rate("referee_edge_calls_refused_total", HERE, "instance"),
                },
            ),
        ],
        "Store": [
            Panel(
                "Append duration",
                "Time until an append is durable. Every move waits for it.",
                "s",
                {
                    "median": quantile(0.5, "referee_append_seconds", HERE, "instance"),
                    "99 %": f"referee:append_seconds:p99_5m{{{HERE}}}",
                },
            ),
            Panel(
                "Appends per transaction",
                "Average.",
                "short",
                {
                    "{{instance}}": rate("referee_append_group_sum", HERE, "instance")
                    + " / "
                    + rate("referee_append_group_count", HERE, "instance")
                },
            ),
            Panel(
                "Failed appends",
                "Unavailable: disk full or locked. Conflict: another process writes.",
                "cps",
                {"{{reason}}": rate("referee_appends_failed_total", HERE, "reason")},
            ),
            Panel(
                "Disk",
                "Size of the database, and free space on its disk.",
                "bytes",
                {
                    "database": f"referee_database_bytes{{{HERE}}}",
                    "free": f"referee_disk_free_bytes{{{HERE}}}",
                },
            ),
        ],
        "Contests": [
            Panel(
                "Waiting pairings",
                "Planned matches of ladders and tournaments that have not begun, by what they wait for.",
                "short",
                {
                    "{{kind}}: {{waits_for}}": f"sum by (kind, waits_for) (referee_pairings_waiting{{{HERE}}})",
                    "open: {{kind}}": f"sum by (kind) (referee_contests{{{HERE}}})",
                },
            ),
            Panel(
                "Oldest waiting pairing",
                "Time since the oldest waiting match was planned.",
                "s",
                {
                    "{{kind}}: {{waits_for}}": f"max by (kind, waits_for) (referee_pairings_oldest_seconds{{{HERE}}})",
                },
            ),
            Panel(
                "Rating changes and void matches",
                "Ratings changed by matches, and void matches that are played again.",
                "cps",
                {
                    "ratings {{game}}": rate("referee_ratings_applied_total", HERE, "game"),
                    "void {{kind}}": rate("referee_pairings_voided_total", HERE, "kind"),
                },
            ),
        ],
        "Machine": [
            Panel(
                "Event loop",
                "Share of the time for which the event loop was late.",
                "percentunit",
                {"{{instance}}": f"referee:event_loop_lag:ratio_5m{{{HERE}}}"},
            ),
            Panel(
                "Processor",
                "CPU usage; one server uses about one core.",
                "percentunit",
                {"{{instance}}": f'rate(process_cpu_seconds_total{{job="referee", {HERE}}}[$__rate_interval])'},
            ),
            Panel(
                "Memory",
                "Resident memory.",
                "bytes",
                {
                    "{{instance}}": f'process_resident_memory_bytes{{job="referee", {HERE}}}',
                    "front door {{door}}": f"referee_edge_memory_bytes{{{HERE}}}",
                },
            ),
            Panel(
                "Open files",
                "Open file descriptors; every connection uses one.",
                "short",
                {
                    "open": f'process_open_fds{{job="referee", {HERE}}}',
                    "limit": f'process_max_fds{{job="referee", {HERE}}}',
                },
            ),
        ],
        "Problems": [
            Panel(
                "How matches ended",
                "In the selected time range.",
                "short",
                {"{{kind}} {{cause}}": risen("referee_matches_ended_total", HERE, "kind", "cause")},
                "bargauge",
            ),
            Panel(
                "Faults",
                "Failures of the referee or a game; details are in the log.",
                "short",
                {"{{instance}}": risen("referee_faults_total", HERE, "instance")},
                "stat",
            ),
            Panel(
                "Last recovery",
                "Duration of the last recovery, and number of recovered matches.",
                "short",
                {
                    "seconds": f"referee_recovery_seconds{{{HERE}}}",
                    "matches": f"referee_recovered_matches{{{HERE}}}",
                },
                "stat",
            ),
        ],
    },
)
DASHBOARDS = {"bots": BOTS, "operators": OPERATORS}


def written(dashboard: Dashboard) -> str:
    """Return the dashboard as JSON for Grafana."""
    variables = [_chosen_source(), _chosen("instance", "referee_build_info")]
    if dashboard.by_game:
        variables.append(_chosen("game", "referee_matches_opened_total"))
    model = {
        "uid": dashboard.uid,
        "title": dashboard.title,
        "tags": ["referee"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": variables},
        "panels": list(_panels(dashboard)),
    }
    return json.dumps(model, indent=2) + "\n"


def _panels(dashboard: Dashboard) -> Iterator[dict[str, Any]]:
    ids = count(1)
    for line, (title, panels) in enumerate(dashboard.rows.items()):
        top = line * (HIGH + 1)
        grid = {"h": 1, "w": WIDE, "x": 0, "y": top}
        yield {"id": next(ids), "type": "row", "title": title, "collapsed": False, "gridPos": grid, "panels": []}
        width = WIDE // len(panels)
        for place, panel in enumerate(panels):
            yield _panel(panel, next(ids), {"h": HIGH, "w": width, "x": place * width, "y": top + 1})


def _panel(panel: Panel, number: int, grid: dict[str, int]) -> dict[str, Any]:
    named = {"options": {"textMode": "value_and_name"}} if panel.kind == "stat" else {}
    return named | {
        "id": number,
        "type": panel.kind,
        "title": panel.title,
        "description": panel.means,
        "datasource": SOURCE,
        "gridPos": grid,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "targets": [
            {"refId": chr(ord("A") + place), "datasource": SOURCE, "expr": query, "legendFormat": legend}
            for place, (legend, query) in enumerate(panel.queries.items())
        ],
    }


def _chosen_source() -> dict[str, Any]:
    return {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}


def _chosen(label: str, metric: str) -> dict[str, Any]:
    return {
        "name": label,
        "type": "query",
        "datasource": SOURCE,
        "query": f"label_values({metric}, {label})",
        "includeAll": True,
        "allValue": ".*",
        "multi": True,
        "current": {"text": "All", "value": "$__all"},
        "refresh": 2,
    }


if __name__ == "__main__":
    for name, dashboard in DASHBOARDS.items():
        (FOLDER / f"{name}.json").write_text(written(dashboard), encoding="utf-8")
