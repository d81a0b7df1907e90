package import DocumentStore

/// The names of the subprotocols (Replication, version map; Version vectors 6.1).
package enum Subprotocol {
    /// The subprotocol with collections, and revisions of trees.
    package static let collections = "BLIP_3+CBMobile_3"
    /// The subprotocol of databases with version vectors.
    package static let versions = "BLIP_3+CBMobile_4"
    /// The subprotocols of a database with revision trees, the preferred one first.
    package static let trees = [collections, "BLIP_3+CBMobile_2"]

    /// Returns the subprotocols that a database accepts from clients, the preferred one first. One with version vectors also serves clients with
    /// revision trees (Version vectors 7.6).
    ///
    /// - Throws: An error if the database cannot be read.
    package static func accepted(by file: DatabaseFile) throws -> [String] { try file.hasVersionVectors() ? [versions] + trees : trees }

    /// Returns the subprotocols that a database offers to a server, the preferred one first.
    ///
    /// A database with version vectors that sends nothing can receive revisions of trees, and keeps their trees. One with revision trees that
    /// receives nothing can send to a database with version vectors. It prefers the protocol for trees, because a server that knows both would
    /// otherwise store versions of which this side knows nothing.
    ///
    /// - Parameters:
    ///   - pushes: Whether revisions are sent.
    ///   - pulls: Whether revisions are received.
    /// - Throws: An error if the database cannot be read.
    package static func offered(by file: DatabaseFile, pushes: Bool, pulls: Bool) throws -> [String] {
        if try file.hasVersionVectors() { return pushes ? [versions] : [versions, collections] }
        return pulls ? trees : trees + [versions]
    }
}
