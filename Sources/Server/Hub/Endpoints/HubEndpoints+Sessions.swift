#if Replication

/// Sessions, and the sync of replicating clients.
extension HubEndpoints {
    static let sessions = [
        HubRoute(
            "/{database}/_session",
            [
                HubEndpoint(
                    "GET",
                    "session",
                    "Returns the user of the request; the name is null for a client that has not logged in.",
                    responses: [.json("The user and the channels.")]
                ) { try await SessionRequests($0).read() },
                HubEndpoint(
                    "POST",
                    "login",
                    "Begins a session: the cookie of the response stands for the user. The port for administration requires no password.",
                    // A login: the client is not known before its body has been read.
                    body: .json(
                        "The name and the password.",
                        .fields([("name", .string), ("password", .string)]),
                        isRequired: false
                    ).upTo(.bytes(4 << 10)),
                    responses: [.json("The user and the channels.")]
                ) { try await SessionRequests($0).begin() },
                HubEndpoint("DELETE", "logout", "Ends the session of the cookie.", responses: [.json("The session has ended.")]) {
                    try await SessionRequests($0).end()
                },
            ]
        ),
        HubRoute(
            "/{database}/_blipsync",
            [
                HubEndpoint<SyncCall>(
                    "GET",
                    "sync",
                    "The WebSocket of replicating clients.",
                    responses: [
                        .init(101, "The protocol is switched."),
                        .text("The client offers no protocol that the hub speaks, as on Sync Gateway.", status: 500),
                    ]
                ) { call in
                    let (port, access) = (call.port, call.access)
                    return try port.sync.accept(call.request, call.database, port.channels, userName: access.userName) {
                        try port.current(access)
                    } rights: {
                        try port.rights(access)
                    }
                }
            ]
        ),
    ]
}
#endif
