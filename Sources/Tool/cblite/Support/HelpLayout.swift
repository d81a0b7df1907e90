/// Wraps the text of the argument parser at the width of the terminal. The parser itself would also wrap the commands of examples, which
/// then cannot be copied.
enum HelpLayout {
    /// The column in which the parser writes descriptions of arguments and options.
    private static let descriptionColumn = 26

    /// Returns the text with lines of at most `width` characters. Examples, and words that are longer, are not broken. Continuation lines are
    /// indented like the text that they continue.
    static func wrap(_ text: String, to width: Int) -> String {
        var isExample = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            if line.isEmpty {
                isExample = false
            } else if line == "EXAMPLES:" {
                isExample = true
            }
            return isExample ? String(line) : wrapLine(line, to: width)
        }
        .joined(separator: "\n")
    }

    private static func wrapLine(_ line: Substring, to width: Int) -> String {
        guard line.count > width else { return String(line) }
        let indentation = Self.indentation(of: line)
        // Where the label ends and no text fits next to it, nothing can be wrapped.
        guard indentation < width else { return String(line) }
        var lines: [String] = []
        // The indentation may contain spaces at which the line must not be broken.
        var current = String(line.prefix(indentation))
        var isBlank = true
        for word in line.dropFirst(indentation).split(separator: " ", omittingEmptySubsequences: false) {
            if !isBlank, current.count + 1 + word.count > width {
                lines.append(current)
                current = String(repeating: " ", count: indentation)
                isBlank = true
            }
            if !isBlank { current += " " }
            current += word
            isBlank = false
        }
        lines.append(current)
        return lines.joined(separator: "\n")
    }

    /// Returns the column in which the text of a line begins, after its label.
    private static func indentation(of line: Substring) -> Int {
        for label in ["USAGE: ", "Usage: ", "Help:  "] where line.hasPrefix(label) { return label.count }
        let spaces = line.prefix { $0 == " " }.count
        guard spaces > 0 else { return 0 }
        let characters = Array(line)
        if characters.count > descriptionColumn, characters[descriptionColumn - 1] == " ", characters[descriptionColumn] != " " {
            let label = characters[..<descriptionColumn]
            // The description of an option follows its label, or stands in the next line.
            if spaces == descriptionColumn || label.dropFirst(spaces).first.map({ "<-".contains($0) }) == true {
                return descriptionColumn
            }
        }
        // A label and its text are separated by at least two spaces.
        var position = spaces
        while position + 1 < characters.count {
            if characters[position] == " ", characters[position + 1] == " " {
                return position + (characters[position...].prefix { $0 == " " }.count)
            }
            position += 1
        }
        return spaces
    }
}
