import ArgumentParser

/// The command-line tool.
@main
struct CBLite: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cblite",
        abstract: "Opens, changes, queries and checks Couchbase Lite databases."
    )
}
