/// Rows of text in aligned columns, printed while they are added: the first screen of rows sets the widths.
///
/// On a terminal, cells that are too wide for the line are cut with `…`. Elsewhere nothing is cut.
final class Table {
    enum Alignment {
        case left, right
        /// Right, if all cells of the first rows are numbers.
        case byContent
    }

    struct Cell: ExpressibleByStringLiteral {
        let text: String
        let isNumber: Bool
        /// Whether there is no value, not even an empty string.
        private(set) var isMissing = false

        init(_ text: String, isNumber: Bool = false) {
            self.text = DisplayWidth.printable(text)
            self.isNumber = isNumber
        }

        static var missing: Cell {
            var cell = Cell("")
            cell.isMissing = true
            return cell
        }

        init(stringLiteral text: String) { self.init(text) }
    }

    /// How columns are separated.
    enum Form {
        case plain, box, markdown
    }

    private let titles: [String]
    private let alignments: [Alignment]
    private let form: Form
    private let output: Output
    /// The rows until the widths are known.
    private var sample: [[Cell]] = []
    private let sampleSize: Int
    private var layout: TableLayout?

    init(_ columns: [(title: String, alignment: Alignment)], form: Form = .plain, to output: Output) {
        titles = columns.map { DisplayWidth.printable($0.title) }
        alignments = columns.map(\.alignment)
        self.form = form
        self.output = output
        sampleSize = output.isTerminal ? max(TerminalSize.current().rows, 10) : 100
    }

    func add(_ row: [String]) throws(OutputError) { try add(row.map { Cell($0) }) }

    func add(_ row: [Cell]) throws(OutputError) {
        if let layout { return try output.line(layout.line(row)) }
        sample.append(row)
        if sample.count == sampleSize { try printSample(isComplete: false) }
    }

    /// Prints what has not been printed. Must be called once, after the last row.
    func finish() throws(OutputError) {
        if layout == nil { try printSample(isComplete: true) }
        guard let layout else { return }
        if let bottom = layout.bottom { try output.line(bottom) }
        if layout.hiddenColumns > 0 {
            try output.line(output.style.faint("\(layout.hiddenColumns.counted("column")) not shown: the terminal is too narrow"))
        }
    }

    private func printSample(isComplete: Bool) throws(OutputError) {
        let isRight = alignments.enumerated().map { column, alignment in
            switch alignment {
            case .left: false
            case .right: true
            case .byContent:
                sample.contains { column < $0.count && $0[column].isNumber }
                    && sample.allSatisfy { column < $0.count && ($0[column].isNumber || $0[column].text.isEmpty) }
            }
        }
        let limit = output.isTerminal && form != .markdown ? TerminalSize.current().columns : nil
        let layout = TableLayout(titles, sample, isRight: isRight, form: form, limit: limit, mayGrow: !isComplete)
        self.layout = layout
        if let top = layout.top { try output.line(top) }
        try output.line(layout.titleLine(output.style))
        if let rule = layout.rule { try output.line(rule) }
        for row in sample { try output.line(layout.line(row)) }
        sample = []
    }
}

extension BinaryInteger {
    /// The number with a comma after every three digits.
    var grouped: String {
        let digits = String(magnitude)
        var result = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result += "," }
            result.append(digit)
        }
        return result
    }

    /// The number of bytes with a unit: `1.4 MB`.
    var asByteCount: String {
        var amount = Double(self)
        if amount < 1000 { return "\(self) bytes" }
        for unit in ["kB", "MB", "GB"] {
            amount /= 1000
            // 999.95 would be rounded to 1000.0.
            if amount < 999.95 { return "\((amount * 10).rounded() / 10) \(unit)" }
        }
        return "\((amount / 100).rounded() / 10) TB"
    }

    /// Returns the number with a noun in singular or plural: `1 document`, `2 documents`.
    func counted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }
}
