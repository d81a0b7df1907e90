#if Replication
import Foundation
import WebServer

/// The description of the REST API in the format of OpenAPI 3.0, which `GET /_openapi` returns: the files `users.json` and
/// `administration.json`, which are part of the program. A test compares it with the routes of ``HubRouter``, and another one with the responses to
/// random requests.
enum HubDescription {
    /// Returns the description.
    ///
    /// - Parameter isAdmin: Whether it is that of the port for administration, which has more requests and needs no password.
    static func response(isAdmin: Bool) -> WebResponse {
        WebResponse(json: isAdmin ? forAdministration : PackageResources.users_json)
    }

    /// The requests of users together with those that only the port for administration has.
    private static let forAdministration: [UInt8] = {
        var description = object(PackageResources.users_json)
        let paths = description["paths"] as? [String: Any] ?? [:]
        let more = object(PackageResources.administration_json)["paths"] as? [String: Any] ?? [:]
        description["paths"] = paths.merging(more) { $1 }
        description["security"] = [Any]()
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return [UInt8]((try? JSONSerialization.data(withJSONObject: description, options: options)) ?? Data())
    }()

    private static func object(_ file: [UInt8]) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(file))) as? [String: Any] ?? [:]
    }
}
#endif
