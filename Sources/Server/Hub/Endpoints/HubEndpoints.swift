#if Replication
/// The table of the requests to which a hub responds. To add one, add an endpoint to a list in this folder.
enum HubEndpoints {
    /// All routes. The first one that matches a path is that of the path.
    static let all =
        HubRoute.routes(hub) + HubRoute.routes(metrics) + HubRoute.routes(sessions) + HubRoute.routes(sync)
        + HubRoute.routes(administration)
        + HubRoute.routes(databases + documents + attachments + lists + changes)

    static func routes(isAdmin: Bool) -> [HubRoute] { all.filter { isAdmin || !$0.isForAdministration } }

    /// The descriptions that `GET /_openapi` returns.
    static let usersDescription = description(isAdmin: false)
    static let adminDescription = description(isAdmin: true)

    private static func description(isAdmin: Bool) -> [UInt8] {
        HubDescription.json(routes(isAdmin: isAdmin).map { ($0.path, $0.operations) }, needsLogin: !isAdmin)
    }
}
#endif
