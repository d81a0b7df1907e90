#if Replication
import ExactStrings
import Fleece
import Replication
import WebServer

/// `_role` of the admin port: the roles of the hub, which all databases share.
struct RoleRequests {
    let users: HubUsers

    /// Responds to `/{database}/_role/` and `/{database}/_role/{name}`.
    func respond(_ name: String?, _ request: WebRequest) async throws -> WebResponse {
        switch (request.method, name) {
        case ("GET", nil):
            var writer = JSONWriter()
            writer.append(array: try users.roleNames()) { $1.append($0) }
            return WebResponse(json: writer.byteArray)
        case ("GET", let name?):
            guard let role = try users.role(name) else { throw HubError.missing }
            return WebResponse(json: Self.json(name, role))
        case ("DELETE", let name?):
            guard try users.removeRole(name) else { throw HubError.missing }
            return WebResponse(json: Array("{}".utf8))
        case ("POST", nil), ("PUT", _?): return try await store(name, request)
        default: throw (name == nil ? HubRoute.roles : .role).wrongMethod
        }
    }

    private static func json(_ name: String, _ role: HubUsers.Role) -> [UInt8] {
        var writer = JSONWriter()
        writer.append(raw: #"{"name":"#)
        writer.append(name)
        writer.append(raw: #","admin_channels":"#)
        writer.append(array: role.channels) { $1.append($0) }
        writer.append(ascii: "}")
        return writer.byteArray
    }

    private func store(_ name: String?, _ request: WebRequest) async throws -> WebResponse {
        let bytes = try await request.body.collect()
        let (given, channels) = try withJSONObject(bytes) { root in
            (root.value(for: "name")?.string, try UserRequests.strings(root.value(for: "admin_channels")))
        }
        guard let name = name ?? given, given.map({ $0.isExactly(name) }) ?? true else {
            throw HubError.badRequest("name must be the name in the URL")
        }
        let stored = try users.role(name)
        guard stored == nil || request.method == "PUT" else { throw HubError.exists }
        try users.setRole(name, channels: channels ?? stored?.channels ?? [])
        return WebResponse(status: stored == nil ? 201 : 200, json: Array("{}".utf8))
    }
}
#endif
