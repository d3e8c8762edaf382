"""picture - charts as SVG: bars, and lines over logarithmic axes

Pages show a chart beside its table, never instead of it; so these have no more than
a title, labels and values, and need nothing but text to be made.
"""
import math
from xml.sax.saxutils import escape

COLOURS = ["#3465a4", "#cc5500", "#4e9a06", "#a40000", "#75507b", "#8f5902", "#555753", "#0e8a8a",
           "#c4a000", "#ad7fa8", "#204a87", "#e9736b", "#73d216", "#2e3436"]
WIDTH = 860
LABELS = 250        # what bars leave for their names
VALUES = 110        # and for their values


def bars(title, rows, unit, series=("",)):
    """rows: (label, [value of each series, stacked]); None leaves the bar out and says so."""
    height = 24
    top = 64 if len(series) > 1 else 44
    most = max((sum(values) for _, values in rows if values), default=0) or 1
    scale = (WIDTH - LABELS - VALUES) / most
    out = []
    if len(series) > 1:
        out.append(legend(series, 40))
    for i, (label, values) in enumerate(rows):
        y = top + i * height
        out.append(text(LABELS - 8, y + 15, label, "end"))
        x = LABELS
        for j, value in enumerate(values or []):
            out.append(f'<rect x="{x:.1f}" y="{y + 3}" width="{max(value * scale, 0.5):.1f}" height="{height - 7}" '
                       f'fill="{COLOURS[j % len(COLOURS)]}"/>')
            x += value * scale
        out.append(text(x + 6, y + 15, f"{short(sum(values))} {unit}" if values else "not measured"))
    return document(title, top + len(rows) * height + 12, out)


def lines(title, series, x_title, y_title):
    """series: {label: [(x, y)]}; both axes are logarithmic."""
    height, left, right, top, bottom = 430, 80, 230, 50, 48
    points = [p for line in series.values() for p in line if p[0] > 0 and p[1] > 0]
    if not points:
        return document(title, 80, [text(20, 60, "nothing was measured")])
    (x0, x1), (y0, y1) = (bounds([p[i] for p in points]) for i in (0, 1))

    def at(x, y):
        return (left + (math.log10(x) - x0) / (x1 - x0) * (WIDTH - left - right),
                height - bottom - (math.log10(y) - y0) / (y1 - y0) * (height - top - bottom))
    out = []
    for x in ticks(x0, x1):
        px, _ = at(x, 10 ** y0)
        out += [rule(px, top, px, height - bottom), text(px, height - bottom + 18, short(x), "middle")]
    for y in ticks(y0, y1):
        _, py = at(10 ** x0, y)
        out += [rule(left, py, WIDTH - right, py), text(left - 8, py + 4, short(y), "end")]
    out += [text((left + WIDTH - right) / 2, height - 10, x_title, "middle"), text(left, top - 8, y_title)]
    for i, (label, line) in enumerate(series.items()):
        colour, spots = COLOURS[i % len(COLOURS)], [at(x, y) for x, y in line if x > 0 and y > 0]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in spots]
        y = top + 8 + i * 20
        out += [f'<rect x="{WIDTH - right + 16}" y="{y - 9}" width="12" height="10" fill="{colour}"/>',
                text(WIDTH - right + 34, y, label)]
    return document(title, max(height, top + 20 * len(series) + 10), out)


def bounds(values):
    low, high = math.log10(min(values)), math.log10(max(values))
    room = max((high - low) * 0.04, 0.05)
    return low - room, high + room


def ticks(low, high):
    """Powers of ten, and their doubles and fives where powers alone are few."""
    found = [10.0 ** e for e in range(math.floor(low), math.ceil(high) + 1)]
    if high - low < 2.5:
        found = sorted(x * f for x in found for f in (1, 2, 5))
    return [x for x in found if low <= math.log10(x) <= high]


def short(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def legend(names, y):
    out, x = [], LABELS
    for i, name in enumerate(names):
        out += [f'<rect x="{x}" y="{y}" width="12" height="10" fill="{COLOURS[i % len(COLOURS)]}"/>', text(x + 18, y + 9, name)]
        x += 36 + 8 * len(name)
    return "\n".join(out)


def rule(x1, y1, x2, y2):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#d3d7cf"/>'


def text(x, y, words, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def document(title, height, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
                      'font-family="sans-serif" font-size="13" fill="#2e3436">',
                      f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
                      f'<text x="16" y="24" font-size="16" font-weight="bold">{escape(title)}</text>', *parts, "</svg>", ""])
