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
    /// - Throws: ``Failure`` if the text is a statement that changes documents; the errors of compiling.
    func query(_ database: Database) throws -> Query {
        let text = try self.text()
        if let keyword = ShellText.changingKeyword(text) {
            let hint = "Run a statement that changes documents with: cblite execute DATABASE STATEMENT"
            throw Failure(.usage, "\(keyword) is not a query", hint: hint)
        }
        return try database.createQuery(text)
    }

    /// Returns the text, which may have to be read from standard input.
    func text() throws -> String { statement == "-" ? String(decoding: try InputFile("-").rest(), as: UTF8.self) : statement }

    /// Parses the values of the parameters.
    ///
    /// - Throws: ``Failure`` if a value is not JSON.
    func parameters() throws -> Parameters {
        let parameters = Parameters()
        for parameter in param {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            do {
                parameters.setValue(try JSONInput.value(parts[1]), forName: parts[0])
            } catch {
                throw Failure(.badData, "--param \(parameter): \(error)", hint: "Strings must be quoted: --param 'name=\"Nowhere\"'")
            }
        }
        return parameters
    }
}
