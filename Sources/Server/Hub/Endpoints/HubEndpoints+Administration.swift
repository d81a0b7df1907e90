#if Replication
import WebServer

/// The users and roles, on the port for administration only.
extension HubEndpoints {
    static let administration =
        entries(of: UserRequests.self, stored: "with its name and password", read: "Returns a user, without the password.")
        + entries(of: RoleRequests.self, stored: "with its name", read: "Returns a role.")

    /// Returns the endpoints for users or roles.
    ///
    /// - Parameters:
    ///   - stored: With what an entry is added.
    ///   - read: The summary of reading an entry.
    private static func entries<Entries: EntryRequests>(
        of type: Entries.Type,
        stored: String,
        read: String
    ) -> [HubEndpoint<AdministrationCall>] {
        let kind = Entries.kind
        let name = kind.prefix(1).uppercased() + kind.dropFirst()
        let (all, one) = ("/{database}/_\(kind)/", "/{database}/_\(kind)/{\(kind)}")
        let schema = OpenAPI.Schema.named(name)
        return [
            .init("GET \(all)", "\(kind)s", "Returns the names of all \(kind)s.", .json("The names.", .array(.string))) {
                try Entries(users: $0.users).list()
            },
            .init(
                "POST \(all)",
                "add\(name)",
                "Adds a \(kind).",
                body: .json("The \(kind), \(stored).", schema),
                .json("The \(kind) is stored.", status: 201)
            ) { try await Entries(users: $0.users).store(nil, $0.request) },
            .init("GET \(one)", "read\(name)", read, .json("The \(kind).", schema)) { try Entries(users: $0.users).read($0.name) },
            .init(
                "PUT \(one)",
                "store\(name)",
                "Adds a \(kind), or changes the parts that the body contains.",
                body: .json("The \(kind).", schema),
                .json("The \(kind) is changed."),
                .json("The \(kind) is added.", status: 201)
            ) { try await Entries(users: $0.users).store($0.name, $0.request) },
            .init("DELETE \(one)", "remove\(name)", "Removes a \(kind).", .json("The \(kind) is removed.")) {
                try Entries(users: $0.users).delete($0.name)
            },
        ]
    }
}
#endif
