import Base
import DocumentStore
import SyncCore

extension RemoteKind {
    /// The product that a Sync Gateway names in the field `Server` of its responses, before its version.
    private static let syncGateway = "Couchbase Sync Gateway/"
    /// The first release of Sync Gateway that replicates with version vectors.
    private static let firstReleaseWithVersions = 4

    /// Finds out the kind of the peer from the result of the handshake. `nil` if that does not show it: a listener can have either kind, other
    /// servers are not known, and a transport of the app has no handshake.
    init?(_ handshake: ChannelHandshake) {
        if let servesVersions = handshake.servesVersions {
            self = servesVersions ? .versions : .trees
        } else if handshake.subprotocol?.isExactly(Subprotocol.versions) ?? false {
            self = .versions
        } else {
            let server = handshake.responseHeaders.first { $0.name.lowercased() == "server" }
            guard let release = server.flatMap({ Self.syncGatewayRelease($0.value) }) else { return nil }
            self = release < Self.firstReleaseWithVersions ? .trees : .versions
        }
    }

    /// Returns the first number of the version, as 3 of `Couchbase Sync Gateway/3.3.7 CE`. `nil` for another server, or if the number is missing, is
    /// too large or is 0, as in builds of developers.
    private static func syncGatewayRelease(_ server: String) -> Int? {
        guard let version = server.rest(afterExactly: syncGateway) else { return nil }
        let digits = version.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
    }
}
