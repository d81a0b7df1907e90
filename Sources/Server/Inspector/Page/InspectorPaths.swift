#if Replication
import Base
import WebServer

/// The paths of an inspector: the page of one database, or a list of databases with the page of each of them below it.
///
/// The page of a database has its files in `page/` and its API in `api/`, relative to its own path; the list has them, too.
struct InspectorPaths: Sendable {
    /// The segment with which all paths begin; `nil` if the page is at the root.
    let base: String?
    /// Whether the next segment is the name of a database.
    let hasNames: Bool

    /// What a path means.
    struct Target {
        /// The name of the database; `nil` for the list, or if the inspector has one database.
        var database: String?
        /// The segments below the page.
        var rest: ArraySlice<String>

        /// Whether the page itself is meant, and not one of its files or a call.
        var isPage: Bool { rest.isEmpty }
    }

    /// Returns what the segments of a path mean; `nil` if they are outside of ``base``.
    func target(of path: [String]) -> Target? {
        var rest = path[...]
        if let base {
            guard let first = rest.popFirst(), first.isExactly(base) else { return nil }
        }
        // Files and calls have two segments. So a database may have the name of one of them.
        guard hasNames, rest.count % 2 == 1, let name = rest.popFirst() else { return Target(database: nil, rest: rest) }
        return Target(database: name, rest: rest)
    }

    /// The path of the list, or of the page of the only database. It ends with a slash, as do those of pages.
    var root: String { base.map { "/\(PathSegment.encoded($0))/" } ?? "/" }

    /// The path of a page. The addresses of its parts are relative to it.
    func page(of target: Target) -> String { target.database.map { root + PathSegment.encoded($0) + "/" } ?? root }
}
#endif
