#if Replication
/// Sessions, and the sync of replicating clients.
extension HubEndpoints {
    static let sessions: [HubEndpoint<OpenCall>] = [
        .init(
            "GET /{database}/_session",
            "session",
            "Returns the user of the request; the name is null for a client that has not logged in.",
            .json("The user and the channels.")
        ) { try await SessionRequests($0).read() },
        .init(
            "POST /{database}/_session",
            "login",
            "Begins a session: the cookie of the response stands for the user. The port for administration requires no password.",
            // The client is not known before its body has been read, so the body is small.
            body: .json(
                "The name and the password.",
                .fields(["name": .string, "password": .string]),
                isRequired: false,
                upTo: .bytes(4 << 10)
            ),
            .json("The user and the channels.")
        ) { try await SessionRequests($0).begin() },
        .init("DELETE /{database}/_session", "logout", "Ends the session of the cookie.", .json("The session has ended.")) {
            try await SessionRequests($0).end()
        },
    ]

    static let sync: [HubEndpoint<SyncCall>] = [
        .init(
            "GET /{database}/_blipsync",
            "sync",
            "The WebSocket of replicating clients.",
            .init(101, "The protocol is switched."),
            .text("The client offers no protocol that the hub speaks, as on Sync Gateway.", status: 500)
        ) { call in
            let (port, access) = (call.port, call.access)
            return try port.sync.accept(call.request, call.database, port.channels, userName: access.userName) {
                try port.current(access)
            } rights: {
                try port.rights(access)
            }
        }
    ]
}
#endif
