#!/usr/bin/env python3
"""Makes the chart and the table of speeds in the README from Benchmarks/side-by-side.json.

    speed_chart.py           writes both
    speed_chart.py --check   fails if they are not what the file says
"""
import json
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent.parent
FIGURES, CHART, README = root / "Benchmarks/side-by-side.json", root / "Documentation/pictures/speed.svg", root / "README.md"
TABLE = re.compile(r"(<!-- speed: made by script/lib/speed_chart.py -->\n).*?(<!-- end of speed -->)", re.S)

STYLE = """text { font: 13px system-ui, sans-serif; fill: #24292f }
.line { stroke: #8c959f } .faster { fill: #0f766e } .slower { fill: #c2571a }
@media (prefers-color-scheme: dark) { text { fill: #d1d7e0 } .faster { fill: #2ea69b } .slower { fill: #e8823f } }"""


def ahead(workload):
    """Returns how many times faster the library is than the original."""
    return workload["original"] / workload["library"]


def chart(figures):
    """Returns bars from 0 with a line at 1, the longest first."""
    workloads = sorted(figures["workloads"], key=ahead, reverse=True)
    left, unit, step, top = 270, 105, 22, 30
    height = top + step * len(workloads) + 6
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" width="720" height="{height}" role="img" '
             'aria-label="Time of Couchbase Lite Core divided by the time of this library">',
             f"<style>{STYLE}</style>", f'<text x="{left + unit}" y="16" text-anchor="middle">as fast as Couchbase Lite Core</text>']
    for number, workload in enumerate(workloads):
        y, value = top + step * number, ahead(workload)
        lines += [f'<text x="{left - 8}" y="{y + 15}" text-anchor="end">{workload["title"]}</text>',
                  f'<rect class="{"faster" if value >= 1 else "slower"}" x="{left}" y="{y + 3}" width="{value * unit:.1f}" height="{step - 6}" rx="2"/>',
                  f'<text x="{left + max(value, 1) * unit + 6:.1f}" y="{y + 15}">{value:.2f}</text>']
    lines += [f'<line class="line" x1="{left + unit}" x2="{left + unit}" y1="{top - 8}" y2="{height}" stroke-dasharray="3 3"/>', "</svg>"]
    return "\n".join(lines) + "\n"


def milliseconds(seconds):
    return "–" if seconds is None else f"{seconds * 1000:.3g}" if seconds < 1 else f"{seconds * 1000:,.0f}"


def table(figures):
    lines = ["| Milliseconds | Raw SQLite | Couchbase Lite Core | This library | Times as fast |", "|---|---:|---:|---:|---:|"]
    for workload in figures["workloads"]:
        times = [milliseconds(workload.get(key)) for key in ("sqlite", "original", "library")]
        lines.append(f'| {workload["title"]} | {" | ".join(times)} | {ahead(workload):.2f} |')
    return "\n".join(lines) + "\n"


def main():
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    readme = README.read_text(encoding="utf-8")
    wanted = {CHART: chart(figures), README: TABLE.sub(lambda match: match[1] + table(figures) + match[2], readme)}
    if sys.argv[1:] != ["--check"]:
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(root)} is not what {FIGURES.relative_to(root)} says; run script/lib/speed_chart.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
