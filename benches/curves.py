"""Curves over time, as an SVG that can be read on light and on dark ground."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, LEFT, TOP, GAP = 860, 90, 60, 60, 44
COLOURS = {
    "a browser is killed": "#d1242f",
    "a renderer is killed": "#bf8700",
    "a client vanishes": "#8250df",
    "a page hangs": "#1a7f37",
}
STYLE = (
    "text{font:12px sans-serif;fill:#57606a}.line{fill:none;stroke:#0969da;stroke-width:1.5}"
    ".frame{fill:none;stroke:#8c959f;stroke-width:.5}"
    "@media(prefers-color-scheme:dark){text{fill:#9ea7b3}.line{stroke:#58a6ff}}"
)


@dataclass(frozen=True)
class Curve:
    """One measure: its name, and what it was at which minute."""

    name: str
    points: list[tuple[float, float]]


def draw(curves: list[Curve], marks: list[tuple[float, str]]) -> str:
    """One curve below the other, each from nought to its largest; what happened is marked in all of them."""
    end = max((minute for curve in curves for minute, _ in curve.points), default=1) or 1
    height = TOP + len(curves) * (HEIGHT + GAP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<style>{STYLE}</style>",
        *_legend(marks),
    ]
    for number, curve in enumerate(curves):
        lines += _curve(curve, TOP + number * (HEIGHT + GAP), end, marks)
    return "\n".join([*lines, "</svg>", ""])


def _legend(marks: list[tuple[float, str]]) -> list[str]:
    lines = []
    for number, (what, colour) in enumerate(COLOURS.items()):
        x = LEFT + number * 195
        times = sum(mark == what for _, mark in marks)
        lines.append(f'<path d="M{x} 16v12" stroke="{colour}" stroke-width="2"/>')
        lines.append(f'<text x="{x + 8}" y="26">{what} ({times})</text>')
    return lines


def _curve(curve: Curve, top: int, end: float, marks: list[tuple[float, str]]) -> list[str]:
    most = max((value for _, value in curve.points), default=1) or 1
    wide = WIDTH - LEFT - 10

    def place(minute: float, value: float) -> str:
        return f"{LEFT + minute / end * wide:.1f},{top + HEIGHT - value / most * HEIGHT:.1f}"

    lines = [f'<text x="{LEFT}" y="{top - 6}">{escape(curve.name)}</text>']
    for minute, what in marks:
        x = LEFT + min(minute, end) / end * wide
        colour = COLOURS.get(what, "#8c959f")
        lines.append(f'<path d="M{x:.1f} {top}v{HEIGHT}" stroke="{colour}" stroke-opacity=".35"/>')
    path = " ".join(place(*point) for point in curve.points)
    return [
        *lines,
        f'<rect class="frame" x="{LEFT}" y="{top}" width="{wide}" height="{HEIGHT}"/>',
        f'<text x="{LEFT - 6}" y="{top + 10}" text-anchor="end">{most:.0f}</text>',
        f'<text x="{LEFT - 6}" y="{top + HEIGHT}" text-anchor="end">0</text>',
        f'<text x="{WIDTH - 10}" y="{top + HEIGHT + 14}" text-anchor="end">{end:.0f} min</text>',
        f'<polyline class="line" points="{path}"/>',
    ]
