import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// `cblite shell`, and `cblite` with a database only
struct Shell: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Queries and changes a database interactively.",
        discussion: """
            Statements of SQL++ end with a semicolon, and may extend over several lines. Every command of the tool works, without \
            the name of the database. Lines that begin with a backslash control the shell: \\? lists them. The tab key completes \
            commands, collections, properties, keywords, functions and document IDs; the arrow keys recall earlier lines.

            EXAMPLES:
              $ cblite travel.cblite2
              travel> SELECT name, geo.alt FROM _ WHERE country = 'Peru';
              travel> \\d
              travel> ls -l 'airport_C*'
              travel> index create byCountry country
              $ echo "SELECT count(*) AS n FROM _;" | cblite shell --json travel.cblite2

            If standard input is no terminal, its lines are run without questions, and the first error ends the shell with its exit \
            code.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var rows: RowOptions

    func run() throws {
        guard ShellContext.current == nil else { throw Failure(.usage, "this is the shell already") }
        let opening = try database.opening()
        let session = ShellSession(opening, .all, rows: rows)
        // Says at once if the database cannot be opened.
        try session.withDatabase { _ in }
        try ShellContext.$current.withValue(session.context) { try session.run() }
    }
}
