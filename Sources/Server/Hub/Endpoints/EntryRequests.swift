#if Replication
import Base
import Fleece
import WebServer

/// What has channels: a user or a role.
protocol ChannelHolder {
    var channels: [String] { get }
}

extension HubUsers.User: ChannelHolder {}
extension HubUsers.Role: ChannelHolder {}

/// The requests of the admin port for users or roles, which all databases share.
protocol EntryRequests: Sendable {
    associatedtype Entry: ChannelHolder

    /// The name of the kind of entries: in the paths with an underscore before it, and in the description.
    static var kind: String { get }

    init(users: HubUsers)

    func names() throws -> [String]
    func entry(_ name: String) throws -> Entry?
    /// Appends what an entry has beside its name and its channels, as members.
    func append(_ entry: Entry, to writer: inout JSONWriter)
    /// Returns `false` if there is no entry of that name.
    func remove(_ name: String) throws -> Bool
    /// Adds an entry as the body of a request says, or changes the one of that name if `replaces` is true. Returns whether it was added.
    ///
    /// - Parameter channels: The channels that the body names; `nil` if it names none.
    /// - Throws: `HubError.exists` if there is an entry of that name and `replaces` is false.
    func store(_ name: String, channels: [String]?, _ body: DictionaryValue, replaces: Bool) throws -> Bool
}

extension EntryRequests {
    func append(_ entry: Entry, to writer: inout JSONWriter) {}

    func list() throws -> WebResponse { WebResponse(json: JSONWriter.array(try names()) { $0.append($1) }.byteArray) }

    func read(_ name: String) throws -> WebResponse {
        guard let entry = try self.entry(name) else { throw HubError.missing }
        let json = JSONWriter.object { writer in
            writer.member("name", name)
            writer.member("admin_channels", entry.channels)
            append(entry, to: &writer)
        }
        return WebResponse(json: json.byteArray)
    }

    func delete(_ name: String) throws -> WebResponse {
        guard try remove(name) else { throw HubError.missing }
        return WebResponse(json: Array("{}".utf8))
    }

    /// Adds the entry in the body of a request, or with a name in the path, changes it if it exists.
    func store(_ name: String?, _ request: WebRequest) async throws -> WebResponse {
        let bytes = try await request.body.collect()
        let isNew = try withJSONObject(bytes) { body in
            let given = body.value(for: "name")?.string
            guard let entryName = name ?? given, given.map({ $0.isExactly(entryName) }) ?? true else {
                throw HubError.badRequest("name must be the name in the URL")
            }
            return try store(entryName, channels: try strings("admin_channels", in: body), body, replaces: name != nil)
        }
        return WebResponse(status: isNew ? 201 : 200, json: Array("{}".utf8))
    }

    /// Returns the strings of an array in the body of a request; `nil` if there is no value, or null.
    func strings(_ name: String, in body: DictionaryValue) throws -> [String]? {
        try body.optional(name, "an array of at most 10,000 strings") { value in
            guard let array = value.array, array.count <= 10_000 else { return nil }
            let strings = (0..<array.count).compactMap { array[$0]?.string }
            return strings.count == array.count ? strings : nil
        }
    }
}

/// `/{database}/_user/` and `/{database}/_user/{name}`.
struct UserRequests: EntryRequests {
    let users: HubUsers

    static let kind = "user"

    func names() throws -> [String] { try users.names() }

    func entry(_ name: String) throws -> HubUsers.User? { try users.user(name) }

    func append(_ user: HubUsers.User, to writer: inout JSONWriter) {
        writer.member("admin_roles", user.roles)
        writer.member("disabled", user.isDisabled)
    }

    func remove(_ name: String) throws -> Bool { try users.remove(name) }

    func store(_ name: String, channels: [String]?, _ body: DictionaryValue, replaces: Bool) throws -> Bool {
        let password = try body.optional("password", "a string") { $0.string }
        let roles = try strings("admin_roles", in: body)
        let isDisabled = try body.optional("disabled", "true or false") { $0.boolean }
        if try users.user(name) != nil {
            guard replaces else { throw HubError.exists }
            _ = try users.change(name, password: password, channels: channels, roles: roles, isDisabled: isDisabled)
            return false
        }
        guard let password else { throw HubError.badRequest("A new user needs a password") }
        let isAdded = try users.add(
            name,
            password: password,
            channels: channels ?? [],
            roles: roles ?? [],
            isDisabled: isDisabled ?? false
        )
        guard isAdded else { throw HubError.exists }
        return true
    }
}

/// `/{database}/_role/` and `/{database}/_role/{name}`.
struct RoleRequests: EntryRequests {
    let users: HubUsers

    static let kind = "role"

    func names() throws -> [String] { try users.roleNames() }

    func entry(_ name: String) throws -> HubUsers.Role? { try users.role(name) }

    func remove(_ name: String) throws -> Bool { try users.removeRole(name) }

    func store(_ name: String, channels: [String]?, _ body: DictionaryValue, replaces: Bool) throws -> Bool {
        let stored = try users.role(name)
        guard stored == nil || replaces else { throw HubError.exists }
        try users.setRole(name, channels: channels ?? stored?.channels ?? [])
        return stored == nil
    }
}
#endif
