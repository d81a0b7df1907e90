#if Replication
import Foundation

/// The last sequence of a database, as a Sync Gateway tells it: `GET /db/` is answered by an object with `update_seq`, the same for every
/// user who may log in. The connection for documents has no such message.
package enum LastSequence {
    /// How long an answer is waited for, in seconds.
    static let patience: Double = 2

    private struct Information: Decodable {
        let sequence: UInt64

        private enum CodingKeys: String, CodingKey {
            case sequence = "update_seq"
        }
    }

    /// What stands in an answer; nil when that is none of a database.
    package static func value(in response: HTTPResponse) -> UInt64? {
        guard response.head.status == 200 else { return nil }
        return try? JSONDecoder().decode(Information.self, from: Data(response.body)).sequence
    }
}

extension ClientRequest {
    /// The request for what a server tells of a database, with the same credentials as ``upgrade(to:key:sendsCredentials:)``; nil when it
    /// cannot be made.
    func lastSequence(at route: ClientRoute) -> [UInt8]? {
        guard route.sendsCredentials, route.url.path.hasSuffix(EndpointURL.syncPath) else { return nil }
        let path = route.url.path.dropLast(EndpointURL.syncPath.utf8.count)
        var fields = HTTPFields([("Host", route.url.hostField), ("User-Agent", configuration.userAgent)])
        for (name, value) in credentialFields(for: route.url) { fields.set(name, value) }
        fields.set("Accept", "application/json")
        fields.set("Connection", "close")
        return try? HTTPRequestHead(method: "GET", target: path + "/", fields: fields).encoded()
    }
}
#endif
