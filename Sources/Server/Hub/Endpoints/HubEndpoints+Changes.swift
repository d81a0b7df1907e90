#if Replication
import WebServer

/// The feed of changes, and queries.
extension HubEndpoints {
    static let changes: [HubEndpoint<CollectionCall>] = [
        .init(
            "GET /{keyspace}/_changes",
            "changes",
            "Returns documents in the order of their last changes.",
            parameters: feedParameters,
            .init(101, "The protocol is switched to that of WebSockets."),
            foundChanges,
            respond: feed
        ),
        .init(
            "POST /{keyspace}/_changes",
            "changesOf",
            "The same as GET, with the options in the body.",
            body: .json("The options.", feedOptions, isRequired: false),
            foundChanges,
            respond: feed
        ),
        .init(
            "POST /{keyspace}/_query",
            "query",
            "Runs a SQL++ query. Only for users of all documents.",
            body: .json(
                "The query and its parameters.",
                .fields(["query": .string, "parameters": .object], required: ["query"]),
                example: #"{"query":"SELECT $n AS n FROM _ LIMIT 1","parameters":{"n":1}}"#
            ),
            .json("The rows.", .array(.object))
        ) { try await QueryRequests(database: $0.keyspace.database, access: $0.access).run($0.request) },
    ]

    private static let feedParameters: [OpenAPI.Parameter] = [
        .query(
            "feed",
            .choice(["normal", "longpoll", "continuous", "websocket"]),
            "When the response ends: at once (the default), after the next change, or not at all; or a WebSocket."
        ),
        .query("since", since, "The sequence after which changes are returned, as `last_seq` of an earlier response."),
        .query("limit", number, "The maximum number of changes; 0 for no limit."),
        .query("include_docs", .boolean, "Whether each change contains the document."),
        .query("active_only", .boolean, "Whether tombstones are omitted."),
        .query("style", style, "Whether all leaf revisions are listed."),
        .query("revocations", .boolean, "Whether documents are listed to which the user has lost access."),
        .query("filter", filter, "A filter by channel or by document."),
        .query("channels", .string, "The channels of the filter, separated by commas."),
        .query("doc_ids", .string, "The IDs of the filter, as a JSON array, or separated by commas."),
        .query("accept_encoding", .choice(["gzip"]), "With a WebSocket: whether the messages are binary, and together a stream of gzip."),
        .query("heartbeat", number, "The time between two line feeds while the client waits, in milliseconds."),
        .query("timeout", number, "The time after which a waiting request ends, in milliseconds."),
    ]

    private static let feedOptions = OpenAPI.Schema.fields([
        "feed": .choice(["normal", "longpoll", "continuous"]), "since": since, "limit": number, "include_docs": .boolean,
        "active_only": .boolean, "style": style, "revocations": .boolean, "filter": filter, "channels": .string,
        "doc_ids": .array(.string), "heartbeat": number, "timeout": number,
    ])

    private static let number = OpenAPI.Schema.integer(minimum: 0, maximum: 1_000_000)
    private static let since = OpenAPI.Schema.text(pattern: "^[0-9:]*$")
    private static let style = OpenAPI.Schema.choice(["main_only", "all_docs"])
    private static let filter = OpenAPI.Schema.choice(["sync_gateway/bychannel", "_doc_ids"])

    private static let foundChanges = OpenAPI.Response(
        200,
        "The changes; with the continuous feed, one object in each line.",
        ["application/json": .named("Changes"), "application/octet-stream": .binary]
    )

    private static func feed(_ call: CollectionCall) async throws -> WebResponse {
        let (keyspace, port, rights) = (call.keyspace, call.port, call.rights)
        let changes = try await ChangesRequest(call.request, maximumTimeout: port.options.maximumFeedTimeout)
        let index = try port.channels.index(of: keyspace.id, in: keyspace.database)
        let feed: @Sendable (ChangesRequest) -> ChangesFeed = { options in
            ChangesFeed(keyspace, index, own: port.databases.own.file, options, rights: rights)
        }
        guard changes.feed == .websocket else { return try feed(changes).response() }
        return try SocketFeed(changes, port.feeds, feed).response(to: call.request)
    }
}
#endif
