import ArgumentParser
import DocumentStore
import Fleece
import QueryEngine

/// A query given on the command line.
struct StatementArguments: ParsableArguments {
    @Argument(help: "The SQL++ query, or - to read it from standard input.") var statement: String

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
    func prepare(on file: DatabaseFile) throws -> PreparedQuery {
        let text = statement == "-" ? String(decoding: try InputFile("-").rest(), as: UTF8.self) : statement
        do {
            let select = try SQLPlusPlus.parse(text)
            return try PreparedQuery(select, on: file, databaseName: name(of: file.bundle))
        } catch let error as QueryError {
            throw Failure(error, in: text)
        }
    }

    /// Parses the values of the parameters.
    ///
    /// - Throws: ``Failure`` if a value is not JSON.
    func parameters() throws -> QueryParameters {
        var parameters = QueryParameters()
        for parameter in param {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            do {
                parameters[String(parts[0])] = try JSON.fleece(String(parts[1]), allowingFragments: true)
            } catch {
                throw Failure(.badData, "--param \(parameter): \(error)", hint: "Strings must be quoted: --param 'name=\"Nowhere\"'")
            }
        }
        return parameters
    }

    /// Returns the name by which a query can reference the database: its directory without path and extension.
    private func name(of bundle: BundlePath) -> String {
        let last = bundle.directory.split(separator: "/").last.map(String.init) ?? ""
        let suffix = "." + BundlePath.fileExtension
        return last.hasSuffix(suffix) ? String(last.dropLast(suffix.count)) : last
    }
}

extension Failure {
    /// Creates the failure for an invalid query, with the line of the error and a mark below its position, if that is known.
    init(_ error: QueryError, in text: String) {
        let status: ExitReason = error.kind == .missingIndex ? .notFound : .usage
        guard let offset = error.offset, offset <= text.utf8.count else {
            self.init(status, error.message)
            return
        }
        let before = text.utf8.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map(text.utf8.index(after:)) ?? text.startIndex
        let line = text[lineStart...].prefix { !$0.isNewline }
        let column = String(decoding: text.utf8[lineStart..<before.endIndex], as: UTF8.self).count
        // Only the part of a very long line around the position is shown.
        let hidden = max(0, column - Self.shownBefore)
        let part = line.dropFirst(hidden).prefix(Self.shownBefore * 2)
        self.init(status, error.message, hint: "\(part)\n  " + String(repeating: " ", count: column - hidden) + "^")
    }

    /// The maximum number of characters shown before the position of an error.
    private static var shownBefore: Int { 60 }
}
