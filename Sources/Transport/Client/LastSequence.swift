#if Replication
import Foundation

/// Reads the last sequence of a database from a Sync Gateway: the response to `GET /db/` is an object with `update_seq`, for every user who
/// may log in. The sync protocol has no message for it.
package enum LastSequence {
    /// The timeout for the response once connected, in seconds.
    static let responseTimeout: Double = 2

    private struct Information: Decodable {
        let sequence: UInt64

        private enum CodingKeys: String, CodingKey {
            case sequence = "update_seq"
        }
    }

    /// Returns the last sequence in a response, or `nil` if it does not describe a database.
    package static func value(in response: HTTPResponse) -> UInt64? {
        guard response.head.status == 200 else { return nil }
        return try? JSONDecoder().decode(Information.self, from: Data(response.body)).sequence
    }
}

extension ClientRequest {
    /// Returns the request for the description of a database, with the same credentials as ``upgrade(to:key:sendsCredentials:)``. `nil` if
    /// the credentials must not be sent on this route, or the request is invalid.
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
