/// Rows of text in aligned columns.
struct Table {
    enum Alignment {
        case left, right
    }

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[String]] = []

    init(_ columns: [(title: String, alignment: Alignment)]) {
        self.columns = columns
    }

    mutating func add(_ row: [String]) {
        rows.append(row.map(Self.printable))
    }

    /// Prints the titles and the rows.
    func print(to output: Output, style: Style) throws(OutputError) {
        var widths = columns.map(\.title.count)
        for row in rows {
            for (index, cell) in row.enumerated() where index < widths.count {
                widths[index] = max(widths[index], cell.count)
            }
        }
        try output.line(style.bold(line(columns.map(\.title), widths)))
        for row in rows { try output.line(line(row, widths)) }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var result = ""
        for (index, cell) in cells.enumerated() where index < widths.count {
            if index > 0 { result += "  " }
            switch columns[index].alignment {
            case .right: result += cell.padded(to: widths[index], leading: true)
            case .left: result += cell.padded(to: widths[index])
            }
        }
        // No spaces at the ends of lines.
        while result.last == " " { result.removeLast() }
        return result
    }

    /// Returns the text with control characters escaped, since they would break the table or control the terminal.
    private static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
        return text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
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
    func counted(_ noun: String) -> String {
        "\(grouped) \(noun)\(self == 1 ? "" : "s")"
    }
}
