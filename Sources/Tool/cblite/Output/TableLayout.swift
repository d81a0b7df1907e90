/// The widths of the columns of a table, and its lines.
struct TableLayout {
    private let titles: [String]
    private let isRight: [Bool]
    private let form: Table.Form
    private let widths: [Int]
    /// Whether cells that are wider than their column are cut.
    private let cuts: Bool
    /// The number of columns at the right that do not fit the terminal at all.
    let hiddenColumns: Int

    /// The narrowest a column is made.
    private static let minimum = 4

    /// - Parameters:
    ///   - limit: The width of the terminal; `nil` to cut nothing.
    ///   - mayGrow: Whether more rows follow, for which columns of text get some of the free space.
    init(_ titles: [String], _ sample: [[Table.Cell]], isRight: [Bool], form: Table.Form, limit: Int?, mayGrow: Bool) {
        self.titles = titles
        self.isRight = isRight
        self.form = form
        cuts = limit != nil
        // In Markdown, the rule has at least three dashes.
        var widths = titles.map { max(DisplayWidth.of($0), form == .markdown ? 3 : 1) }
        for row in sample {
            for (column, cell) in row.enumerated() where column < widths.count {
                widths[column] = max(widths[column], DisplayWidth.of(form == .markdown ? Self.escaped(cell.text) : cell.text))
            }
        }
        (self.widths, hiddenColumns) =
            limit.map { Self.fit(widths, isRight: isRight, form: form, limit: $0, mayGrow: mayGrow) } ?? (widths, 0)
    }

    private static func fit(_ wanted: [Int], isRight: [Bool], form: Table.Form, limit: Int, mayGrow: Bool) -> (widths: [Int], hidden: Int) {
        var widths = wanted
        // Columns at the right are left out until the others can have the narrowest width.
        func available() -> Int { limit - (form == .box ? 3 * widths.count + 1 : 2 * (widths.count - 1)) }
        while widths.count > 1, widths.reduce(0, { $0 + min($1, minimum) }) > available() { widths.removeLast() }
        let space = max(available(), 1)
        var total = widths.reduce(0, +)
        if total > space {
            // Text is cut first, because a cut number is misleading.
            let text = widths.indices.filter { !isRight[$0] }
            shrink(&widths, text.isEmpty ? Array(widths.indices) : text, to: space)
            shrink(&widths, Array(widths.indices), to: space)
        } else if mayGrow {
            for column in widths.indices where space > total {
                let share = (space - total) / (widths.count - column)
                let more = min(share, isRight[column] ? 3 : max(8, widths[column] / 2))
                widths[column] += more
                total += more
            }
        }
        return (widths, wanted.count - widths.count)
    }

    /// Makes the widest of some columns narrower, until all columns together fit the space.
    private static func shrink(_ widths: inout [Int], _ columns: [Int], to space: Int) {
        var excess = widths.reduce(0, +) - space
        while excess > 0, let widest = columns.map({ widths[$0] }).max(), widest > minimum {
            let concerned = columns.filter { widths[$0] == widest }
            let next = max(minimum, columns.map { widths[$0] }.filter { $0 < widest }.max() ?? minimum)
            let step = min(widest - next, max(excess / concerned.count, 1))
            for column in concerned where excess > 0 {
                let less = min(step, excess)
                widths[column] -= less
                excess -= less
            }
        }
    }

    func line(_ cells: [Table.Cell]) -> String { joined(widths.indices.map { cell($0 < cells.count ? cells[$0].text : "", $0) }) }

    func titleLine(_ style: Style) -> TerminalText {
        let texts = widths.indices.map { cell(titles[$0], $0) }
        if form == .plain { return style.bold(joined(texts)) }
        return TerminalText(own: joined(texts.map { style.bold($0).text }))
    }

    /// The line above the titles.
    var top: String? { form == .box ? border("┌", "┬", "┐") : nil }

    /// The line between the titles and the rows.
    var rule: String? {
        switch form {
        case .plain: nil
        case .box: border("├", "┼", "┤")
        case .markdown:
            "|" + widths.indices.map { String(repeating: "-", count: widths[$0] + 1) + (isRight[$0] ? ":" : "-") + "|" }.joined()
        }
    }

    /// The line below the rows.
    var bottom: String? { form == .box ? border("└", "┴", "┘") : nil }

    private func border(_ left: String, _ middle: String, _ right: String) -> String {
        left + widths.map { String(repeating: "─", count: $0 + 2) }.joined(separator: middle) + right
    }

    private func cell(_ text: String, _ column: Int) -> String {
        let text = form == .markdown ? Self.escaped(text) : text
        return (cuts ? DisplayWidth.cut(text, to: widths[column]) : text).padded(to: widths[column], leading: isRight[column])
    }

    private func joined(_ cells: [String]) -> String {
        switch form {
        case .plain:
            var result = cells.joined(separator: "  ")
            // No spaces at the ends of lines.
            while result.utf8.last == UInt8(ascii: " ") { result.removeLast() }
            return result
        case .box: return "│ " + cells.joined(separator: " │ ") + " │"
        case .markdown: return "| " + cells.joined(separator: " | ") + " |"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.contains(UInt8(ascii: "|")) ? text.replacing("|", with: "\\|") : text
    }
}
