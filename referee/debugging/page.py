"""The same as one page that needs nothing else: for a browser, or to send to somebody."""

from collections.abc import Sequence
from html import escape

from referee.debugging.questions import Question
from referee.debugging.told import HEAD, cells, seconds, spent

WIDTH, ROW, BAR, LEFT = 720, 18, 12, 60
COLOURS = (("thinking", "#2f6fb2"), ("network", "#e0a030"), ("referee", "#c0504d"))
STYLE = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin-bottom: .2rem; } p { margin: .2rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin-top: 1.5rem; width: 100%; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #8884; white-space: nowrap; }
th:nth-child(2), td:nth-child(2) { text-align: left; font-family: ui-monospace, monospace; }
tr.trouble td { background: #c0504d33; } svg { margin-top: 1.5rem; width: 100%; height: auto; }
text { fill: currentColor; font-size: 12px; } .key { display: inline-block; width: .8em; height: .8em; }
"""


def page(title: str, facts: Sequence[str], asked: Sequence[Question]) -> str:
    """HTML. `facts` are sentences to stand above the picture."""
    keys = " &nbsp; ".join(f'<span class="key" style="background:{colour}"></span> {name}' for name, colour in COLOURS)
    said = "".join(f"<p>{escape(fact)}</p>" for fact in facts)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
        f"<h1>{escape(title)}</h1>{said}<p>Where the time of each turn went: {keys}</p>{_picture(asked)}{_table(asked)}"
        "</html>\n"
    )


def _picture(asked: Sequence[Question]) -> str:
    timed = [(one.due.match.ply, spent(one.row)) for one in asked if one.row]
    longest = max((parts.all for _, parts in timed), default=0) or 1
    rows: list[str] = []
    for number, (ply, parts) in enumerate(timed):
        y, x = number * ROW, float(LEFT)
        rows.append(f'<text x="{LEFT - 8}" y="{y + BAR}" text-anchor="end">{ply}</text>')
        for (name, colour), time in zip(COLOURS, (parts.thinking, parts.network, parts.referee), strict=True):
            width = time / longest * (WIDTH - LEFT - 60)
            tip = f"<title>ply {ply}: {seconds(time)} s {name}</title>"
            rows.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{colour}">{tip}</rect>')
            x += width
        rows.append(f'<text x="{x + 6:.1f}" y="{y + BAR}">{seconds(parts.all)} s</text>')
    return f'<svg viewBox="0 0 {WIDTH} {max(1, len(timed)) * ROW}" role="img">{"".join(rows)}</svg>'


def _table(asked: Sequence[Question]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in HEAD)
    rows = "".join(
        f"<tr{_trouble(one)}>{''.join(f'<td>{escape(cell)}</td>' for cell in cells(one))}</tr>" for one in asked
    )
    return f"<table><tr>{head}</tr>{rows}</table>"


def _trouble(one: Question) -> str:
    fine = one.row is not None and not one.row.late
    return "" if fine or one.answer is None else ' class="trouble"'
