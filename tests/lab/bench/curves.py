"""Curves as SVG, light or dark to match the reader's browser."""

from collections.abc import Mapping
from html import escape
from math import ceil, log10

Curves = Mapping[str, list[tuple[int, float]]]
WIDTH, TOP, LEFT, RIGHT, HIGH = 720, 56, 56, 430, 300
STYLE = """
    .paper { fill: #fbf7f2 } text { fill: #2b241e } .soft { fill: #6b5a4c; font-size: 12px }
    .title { font-weight: 600 } .grid { stroke: #d9cdc2 } .tie { stroke: #a8978a; stroke-width: .7; fill: none }
    .line { fill: none; stroke-width: 2 }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #211d1a } text { fill: #f3ebe4 } .soft { fill: #c4b5a8 } .grid { stroke: #4a4039 }
    }
"""


def picture(title: str, across: str, curves: Curves) -> str:
    """Draw a line for each curve: sizes across, and multiples of the first value upwards, both by powers of ten."""
    sizes = sorted({size for curve in curves.values() for size, _ in curve})
    most = max(times for curve in curves.values() for _, times in curve)
    decades = max(1, ceil(log10(most)))

    def x(size: int) -> float:
        span = log10(sizes[-1] / sizes[0]) or 1
        return LEFT + (RIGHT - LEFT) * log10(size / sizes[0]) / span

    def y(times: float) -> float:
        # Half a decade below, for what got quicker.
        return TOP + HIGH * (1 - (max(log10(times), -0.5) + 0.5) / (decades + 0.5))

    parts = []
    for power in range(decades + 1):
        parts.append(f'<path class="grid" d="M{LEFT} {y(10**power):.1f}H{RIGHT}"/>')
        parts.append(
            f'<text class="soft" x="{LEFT - 8}" y="{y(10**power) + 4:.1f}" text-anchor="end">{10**power} x</text>'
        )
    for size in sizes:
        parts.append(_label(x(size), TOP + HIGH + 20, f"{size:,}", "middle"))
    parts.append(
        f'<text class="soft" x="{(LEFT + RIGHT) / 2}" y="{TOP + HIGH + 40}" text-anchor="middle">{across}</text>'
    )
    label = float("inf")
    # From the lowest up, each label clear of the one below it.
    for number, (name, curve) in enumerate(sorted(curves.items(), key=lambda item: item[1][-1][1])):
        colour = f"hsl({number * 360 // len(curves)} 60% 50%)"
        path = "L".join(f"{x(size):.1f} {y(times):.1f}" for size, times in curve)
        end = y(curve[-1][1])
        label = min(end + 4, label - 18) if number else max(end + 4, TOP + HIGH)
        parts.append(f'<path class="line" stroke="{colour}" d="M{path}"/>')
        parts.append(f'<path class="tie" d="M{RIGHT + 3} {end:.1f}L{RIGHT + 22} {label - 4:.1f}"/>')
        parts.append(_label(RIGHT + 28, label, f"{name}: {curve[-1][1]:.2f} x", "start"))
    body = "\n  ".join(parts)
    height = TOP + HIGH + 56
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"
  font-family="system-ui, sans-serif" font-size="15">
  <title>{escape(title)}</title>
  <style>{STYLE}  </style>
  <rect class="paper" width="{WIDTH}" height="{height}" rx="12"/>
  <text class="title" x="20" y="30">{escape(title)}</text>
  {body}
</svg>
"""


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text class="soft" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
