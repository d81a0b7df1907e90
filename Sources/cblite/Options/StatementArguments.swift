import ArgumentParser
import CouchbaseLiteSwift

/// A query or statement given on the command line.
struct StatementArguments: ParsableArguments {
    @Argument(help: "The SQL++ text, or - to read it from standard input.") var statement: String

    @Option(help: ArgumentHelp("The value of a parameter. May be repeated.", valueName: "name=json"))
    var param: [String] = []

    func validate() throws {
        for parameter in param where parameter.firstIndex(of: "=") ?? parameter.startIndex == parameter.startIndex {
            throw ValidationError("'\(parameter)' is not of the form name=json.")
        }
    }

    /// Compiles the query.
    ///
    /// - Throws: ``Failure`` with the position of the error if the query is invalid.
    func query(_ database: Database) throws -> Query {
        let text = try text()
        return try QueryText.query(text).locatingErrors { try database.createQuery(text) }
    }

    /// Returns the text, which may have to be read from standard input.
    func text() throws -> String {
        statement == "-" ? String(decoding: try InputFile("-").rest(), as: UTF8.self) : statement
    }

    /// Parses the values of the parameters.
    ///
    /// - Throws: ``Failure`` if a value is not JSON.
    func parameters() throws -> Parameters {
        let parameters = Parameters()
        for parameter in param {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            do {
                parameters.setValue(try JSONText.value(parts[1]), forName: parts[0])
            } catch {
                throw Failure(.badData, "--param \(parameter): \(error)", hint: "Strings must be quoted: --param 'name=\"Nowhere\"'")
            }
        }
        return parameters
    }
}

extension Failure {
    /// Creates the failure for an invalid query, with the line of the error and a mark below its position, if that is known.
    ///
    /// - Parameter offset: The position of the error in bytes of UTF-8; `nil` if it is not known.
    init(_ status: ExitReason, _ message: String, at offset: Int?, in text: String) {
        guard let offset, offset <= text.utf8.count else {
            self.init(status, message)
            return
        }
        let before = text.utf8.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map(text.utf8.index(after:)) ?? text.startIndex
        let line = text[lineStart...].prefix { !$0.isNewline }
        let column = String(decoding: text.utf8[lineStart..<before.endIndex], as: UTF8.self).count
        // Only the part of a very long line around the position is shown.
        let hidden = max(0, column - Self.shownBefore)
        let part = line.dropFirst(hidden).prefix(Self.shownBefore * 2)
        self.init(status, message, hint: "\(part)\n  " + String(repeating: " ", count: column - hidden) + "^")
    }

    /// The maximum number of characters shown before the position of an error.
    private static var shownBefore: Int { 60 }
}
