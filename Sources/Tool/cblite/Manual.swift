import ArgumentParser

/// `cblite manual`
struct Manual: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the manual page, in the format of man.",
        discussion: """
            The page contains the help of all commands.

            EXAMPLES:
              $ cblite manual > cblite.1 && man ./cblite.1

            There is no --json: the output is a manual page.
            """
    )

    func run() throws {
        let output = Output()
        try output.write(TerminalText(own: ManualPage.text))
        try output.flush()
    }
}

/// Makes a manual page in the language of troff, with the macros of man(7), from the help texts.
enum ManualPage {
    /// More columns than any help text has, so that the parser does not wrap it.
    private static let unlimited = 1 << 20

    static var text: String {
        let version = CBLite.configuration.version.split(separator: " ").last.map(String.init) ?? ""
        var lines = [".TH CBLITE 1 \"\" \"cblite \(version)\" \"User Commands\"", ".SH NAME", "cblite \\- \(abstract)"]
        lines += [".SH SYNOPSIS", ".B cblite", ".I command", "[\\fIoptions\\fR] \\fIarguments\\fR", ".SH DESCRIPTION"]
        lines += sections(CBLite.helpMessage(columns: unlimited), heading: nil)
        lines.append(".SH COMMANDS")
        for (path, command) in CBLite.allCommands {
            let help = CBLite.helpMessage(for: command, columns: unlimited)
            lines += sections(help, heading: (["cblite"] + path).joined(separator: " "))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static var abstract: String {
        let text = CBLite.configuration.abstract
        return escaped(text.prefix(1).lowercased() + text.dropFirst().dropLast(text.hasSuffix(".") ? 1 : 0))
    }

    /// Returns the lines of a help text as troff. The list of subcommands is omitted, because each has a section of its own.
    private static func sections(_ help: String, heading: String?) -> [String] {
        var lines: [String] = []
        if let heading { lines.append(".SS \(escaped(heading))") }
        var (isExample, isSubcommands) = (false, false)
        func endExample() {
            if isExample { lines += [".fi", ".RE"] }
            isExample = false
        }
        for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
            let isTitle = line.hasSuffix(":") && line.dropLast().allSatisfy { $0.isUppercase || $0 == " " } && line.first != " "
            if isTitle || line.isEmpty { endExample() }
            if isTitle {
                isSubcommands = line.hasSuffix("SUBCOMMANDS:")
                if isSubcommands { continue }
                lines += [".PP", "\\fB\(escaped(capitalized(line.dropLast())))\\fR"]
                isExample = line == "EXAMPLES:"
                if isExample { lines += [".RS", ".nf"] }
            } else if isSubcommands {
                continue
            } else if line.isEmpty {
                lines.append(".PP")
            } else if isExample {
                lines.append(escaped(line.trimmed))
            } else if line.hasPrefix("OVERVIEW: ") {
                lines.append(escaped(line.dropFirst("OVERVIEW: ".count)))
            } else if line.hasPrefix("USAGE: ") {
                lines += [".PP", "\\fBUsage\\fR: \(escaped(line.dropFirst("USAGE: ".count)))"]
            } else if line.hasPrefix("   ") {
                lines.append(escaped(line.trimmed))
            } else if line.hasPrefix("  ") {
                let (label, text) = split(line.trimmed)
                lines += [".TP", ".B \(escaped(label))"]
                if !text.isEmpty { lines.append(escaped(text)) }
            } else {
                lines.append(escaped(line))
            }
        }
        endExample()
        // Two breaks of paragraphs look like one.
        return lines.enumerated().filter { $0.element != ".PP" || $0.offset == 0 || lines[$0.offset - 1] != ".PP" }.map(\.element)
    }

    /// Splits a label from its description, which follows after at least two spaces.
    private static func split(_ line: Substring) -> (label: Substring, text: Substring) {
        var position = line.startIndex
        while position < line.endIndex {
            if line[position...].hasPrefix("  ") { return (line[..<position], line[position...].trimmed) }
            position = line.index(after: position)
        }
        // In the table of codes, one space separates a long number.
        return (line, "")
    }

    private static func capitalized(_ text: Substring) -> String { text.prefix(1) + text.dropFirst().lowercased() }

    /// Returns the text so that troff prints it unchanged: a backslash, a hyphen, and a dot or quote at the beginning of a line have meanings.
    private static func escaped(_ text: some StringProtocol) -> String {
        let text = text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            default: result.append(character)
            }
        }
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " }
        return start[..<(start.lastIndex { $0 != " " }.map { start.index(after: $0) } ?? start.startIndex)]
    }
}
