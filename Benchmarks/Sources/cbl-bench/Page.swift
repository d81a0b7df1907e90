import Foundation

/// The figures as one HTML page with plots, which needs no other file.
struct Page {
    let documents: Int
    let rows: [(name: String, figures: Figures)]
    /// The figures of the run to compare with, by workload.
    let earlier: [String: Figures]

    func html() -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Benchmarks</title>
        <style>
        body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
        table { border-collapse: collapse; width: 100% }
        th, td { text-align: right; padding: .15rem .5rem; border-bottom: 1px solid #ddd; font-variant-numeric: tabular-nums }
        th:first-child, td:first-child { text-align: left }
        text { font: 12px system-ui, sans-serif; fill: currentColor }
        @media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } th, td { border-color: #444 } }
        </style>
        <h1>Benchmarks</h1>
        <p>\(documents) documents. Raw SQLite and the library were measured in turns on one machine; the original's speed is relative to the
        same floor, on another machine (\(Reference.source)).</p>
        \(plot("Time of the original divided by ours", rows.compactMap { row in row.figures.ahead.map { (row.name, $0) } }))
        \(plot("Time of raw SQLite divided by ours", rows.compactMap { row in row.figures.speed.map { (row.name, $0) } }))
        \(changes)
        <h2>Figures</h2>
        <table>
        <tr><th>workload<th>seconds<th>floor<th>speed<th>C++<th>ahead<th>peak MB<th>disk MB<th>MB/s<th>instructions</tr>
        \(rows.map(line).joined(separator: "\n"))
        </table>
        </html>

        """
    }

    private var changes: String {
        let values = rows.compactMap { row in
            earlier[row.name].flatMap { row.figures.improvement(over: $0) }.map { (row.name, $0) }
        }
        return values.isEmpty ? "" : plot("This run compared with the saved one (above 1: better)", values)
    }

    /// Bars on a logarithmic scale around 1.
    private func plot(_ title: String, _ values: [(name: String, value: Double)]) -> String {
        guard !values.isEmpty else { return "" }
        let (left, width, height) = (150.0, 600.0, 20.0)
        let most = max(2, values.map { max($0.value, 1 / max($0.value, 0.01)) }.max() ?? 2)
        let middle = left + width / 2
        let bars = values.enumerated().map { position, bar in
            let y = Double(position) * height
            let length = min(1, max(-1, Self.logarithm(bar.value) / Self.logarithm(most))) * width / 2
            let color = bar.value >= 1 ? "#2a7" : "#c53"
            return """
                <text x="\(left - 8)" y="\(y + 14)" text-anchor="end">\(bar.name)</text>
                <rect x="\(min(middle, middle + length))" y="\(y + 3)" width="\(abs(length))" height="\(height - 6)" fill="\(color)"/>
                <text x="\(middle + max(length, 0) + 6)" y="\(y + 14)">\(Report.number(bar.value, 2))</text>
                """
        }
        let total = Double(values.count) * height
        return """
            <h2>\(title)</h2>
            <svg viewBox="0 0 \(left + width + 50) \(total)" width="100%" role="img" aria-label="\(title)">
            <line x1="\(middle)" y1="0" x2="\(middle)" y2="\(total)" stroke="currentColor"/>
            \(bars.joined(separator: "\n"))
            </svg>
            """
    }

    private static func logarithm(_ value: Double) -> Double { log2(max(value, 0.01)) }

    private func line(_ name: String, _ figures: Figures) -> String {
        let cells = [
            name, Report.number(figures.seconds, 4), Report.number(figures.floor_seconds, 4), Report.number(figures.speed, 2),
            Report.number(Reference.speeds[name], 2), Report.number(figures.ahead, 2), Report.number(figures.peak_rss_mb, 1),
            Report.number(figures.disk_mb, 1), Report.number(figures.mb_per_s, 0), figures.instructions.map { "\($0)" } ?? "–",
        ]
        return "<tr>" + cells.map { "<td>\($0)" }.joined() + "</tr>"
    }
}
