#if Replication
import WebServer

/// The users and roles, on the port for administration only.
extension HubEndpoints {
    static let administration =
        entries(of: UserRequests.self, stored: "with its name and password", read: "Returns a user, without the password.")
        + entries(of: RoleRequests.self, stored: "with its name", read: "Returns a role.")

    /// Returns the routes of users or roles.
    ///
    /// - Parameters:
    ///   - stored: With what an entry is added.
    ///   - read: The summary of reading an entry.
    private static func entries<Requests: EntryRequests>(of type: Requests.Type, stored: String, read: String) -> [HubRoute] {
        let (kind, name) = (Requests.kind, Requests.kind.prefix(1).uppercased() + Requests.kind.dropFirst())
        let schema = OpenAPI.Schema.named(name)
        return [
            HubRoute(
                "/{database}/_\(kind)/",
                [
                    HubEndpoint<AdministrationCall>(
                        "GET",
                        "\(kind)s",
                        "Returns the names of all \(kind)s.",
                        responses: [.json("The names.", .array(.string))]
                    ) { try Requests(users: $0.users).list() },
                    HubEndpoint(
                        "POST",
                        "add\(name)",
                        "Adds a \(kind).",
                        body: .json("The \(kind), \(stored).", schema),
                        responses: [.json("The \(kind) is stored.", status: 201)]
                    ) { try await Requests(users: $0.users).store(nil, $0.request) },
                ]
            ),
            HubRoute(
                "/{database}/_\(kind)/{\(kind)}",
                [
                    HubEndpoint<AdministrationCall>("GET", "read\(name)", read, responses: [.json("The \(kind).", schema)]) {
                        try Requests(users: $0.users).read($0.request.path[2])
                    },
                    HubEndpoint(
                        "PUT",
                        "store\(name)",
                        "Adds a \(kind), or changes the parts that the body contains.",
                        body: .json("The \(kind).", schema),
                        responses: [.json("The \(kind) is changed."), .json("The \(kind) is added.", status: 201)]
                    ) { try await Requests(users: $0.users).store($0.request.path[2], $0.request) },
                    HubEndpoint("DELETE", "remove\(name)", "Removes a \(kind).", responses: [.json("The \(kind) is removed.")]) {
                        try Requests(users: $0.users).delete($0.request.path[2])
                    },
                ]
            ),
        ]
    }
}
#endif
