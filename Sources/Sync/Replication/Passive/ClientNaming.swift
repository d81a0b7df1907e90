import BLIP
import Base
import DocumentStore
import Fleece

/// Finds out whether a client has revision trees or version vectors on a connection without a handshake, such as that of a message endpoint.
enum ClientNaming {
    /// Returns whether the client has version vectors; `nil` if the request does not show it.
    static func usesVersions(_ request: IncomingRequest) -> Bool? {
        switch request.profile {
        // Clients of 4.0.3 and later name themselves; those of 3.x do not (Version vectors 6.2).
        case Profile.getCollections: request.properties["uuid"] != nil ? true : nil
        case Profile.subChanges: request.properties["versioning"]?.isExactly("version-vectors") ?? false
        case Profile.proposeChanges: row(request, 1)
        case Profile.changes: row(request, 2)
        case Profile.rev: request.properties["rev"].map { RevisionID(tree: $0) == nil }
        default: nil
        }
    }

    /// Returns whether the first row of a list has a version in a column; `nil` if there is no row.
    private static func row(_ request: IncomingRequest, _ column: Int) -> Bool? {
        let name = (try? FleeceData.parsing(json: request.body))?.withRoot { $0.array?[0]?.array?[column]?.string } ?? nil
        return name.map { RevisionID(tree: $0) == nil }
    }
}
