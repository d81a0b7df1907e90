#if Replication
import ExactStrings
import Fleece
import Replication
import WebServer

/// `_user` of the admin port: the users of the hub, which all databases share.
struct UserRequests {
    let users: HubUsers

    /// Responds to `/{database}/_user/` and `/{database}/_user/{name}`.
    func respond(_ name: String?, _ request: WebRequest) async throws -> WebResponse {
        switch (request.method, name) {
        case ("GET", nil):
            var writer = JSONWriter()
            writer.append(array: try users.names()) { $1.append($0) }
            return WebResponse(json: writer.byteArray)
        case ("GET", let name?):
            guard let user = try users.user(name) else { throw HubError.missing }
            return WebResponse(json: Self.json(name, user))
        case ("DELETE", let name?):
            guard try users.remove(name) else { throw HubError.missing }
            return WebResponse(json: Array("{}".utf8))
        case ("POST", nil), ("PUT", _?): return try await store(name, request)
        default: throw (name == nil ? HubRoute.users : .user).wrongMethod
        }
    }

    private static func json(_ name: String, _ user: HubUsers.User) -> [UInt8] {
        var writer = JSONWriter()
        writer.append(raw: #"{"name":"#)
        writer.append(name)
        writer.append(raw: #","admin_channels":"#)
        writer.append(array: user.channels) { $1.append($0) }
        writer.append(raw: #","admin_roles":"#)
        writer.append(array: user.roles) { $1.append($0) }
        writer.append(raw: #","disabled":"#)
        writer.append(user.isDisabled)
        writer.append(ascii: "}")
        return writer.byteArray
    }

    private struct Change {
        var name: String?
        var password: String?
        var channels: [String]?
        var roles: [String]?
        var isDisabled: Bool?
    }

    private func store(_ name: String?, _ request: WebRequest) async throws -> WebResponse {
        let bytes = try await request.body.collect()
        let change = try withJSONObject(bytes) { root in
            Change(
                name: root.value(for: "name")?.string,
                password: root.value(for: "password")?.string,
                channels: try Self.strings(root.value(for: "admin_channels")),
                roles: try Self.strings(root.value(for: "admin_roles")),
                isDisabled: root.value(for: "disabled")?.boolean
            )
        }
        guard let name = name ?? change.name, change.name.map({ $0.isExactly(name) }) ?? true else {
            throw HubError.badRequest("name must be the name in the URL")
        }
        if try users.user(name) != nil {
            guard request.method == "PUT" else { throw HubError.exists }
            _ = try users.change(
                name,
                password: change.password,
                channels: change.channels,
                roles: change.roles,
                isDisabled: change.isDisabled
            )
            return WebResponse(json: Array("{}".utf8))
        }
        guard let password = change.password else { throw HubError.badRequest("A new user needs a password") }
        guard try users.add(name, password: password, channels: change.channels ?? [], roles: change.roles ?? []) else {
            throw HubError.exists
        }
        if change.isDisabled == true { _ = try users.change(name, isDisabled: true) }
        return WebResponse(status: 201, json: Array("{}".utf8))
    }

    /// Returns the strings of an array; `nil` if there is no value.
    static func strings(_ value: Value?) throws -> [String]? {
        guard let value else { return nil }
        guard let array = value.array, array.count <= 10_000 else { throw HubError.badRequest("Channels and roles must be arrays") }
        return (0..<array.count).compactMap { array[$0]?.string }
    }
}
#endif
