#if Replication
import WebServer

/// Requests for many documents.
extension HubEndpoints {
    static let lists: [HubEndpoint<CollectionCall>] = [
        .init(
            "GET /{keyspace}/_all_docs",
            "allDocuments",
            "Returns the documents in the order of their IDs.",
            parameters: listParameters,
            .json("The rows.", .named("Rows")),
            respond: list
        ),
        .init(
            "POST /{keyspace}/_all_docs",
            "documents",
            "Returns the documents with the given IDs.",
            parameters: listParameters,
            body: .json("The IDs.", .fields(["keys": .array(.string)]), isRequired: false),
            .json("The rows.", .named("Rows")),
            respond: list
        ),
        .init(
            "POST /{keyspace}/_bulk_docs",
            "storeDocuments",
            "Stores many documents.",
            body: .json("The documents.", .fields(["docs": .array(.object), "new_edits": .boolean], required: ["docs"]), upTo: .document),
            .json("A result for each document.", .array(.object), status: 201)
        ) { try await BulkRequests(documents: $0.documents).store($0.request) },
        .init(
            "POST /{keyspace}/_bulk_get",
            "readDocuments",
            "Returns many documents.",
            parameters: [.query("revs", .boolean, "Whether histories are returned."), .revsLimit, .attachments, .showExpiration],
            body: .json("The IDs, each with or without a revision.", .fields(["docs": .array(wantedDocument)], required: ["docs"])),
            .init(
                200,
                "A part for each document, or JSON if the client accepts only that.",
                ["multipart/mixed": .string, "application/json": .object]
            )
        ) { try await BulkRequests(documents: $0.documents).get($0.request) },
        .init(
            "POST /{keyspace}/_revs_diff",
            "compareRevisions",
            "Returns which revisions of a client are missing.",
            body: .json("The revisions of each document.", .map(.array(.string))),
            .json(
                "For each document with missing revisions: `missing`, and `possible_ancestors`, to which they may be added.",
                .map(.fields(["missing": .array(.string), "possible_ancestors": .array(.string)], required: ["missing"]))
            )
        ) { try await RevisionsDifference(documents: $0.documents).respond($0.request) },
    ]

    private static let listParameters: [OpenAPI.Parameter] = [
        .query("include_docs", .boolean, "Whether each row contains the document."),
        .query("channels", .boolean, "Whether each row lists the channels."),
        .query("update_seq", .boolean, "Whether each row contains the sequence."),
        .query("revs", .boolean, "Whether the documents contain their history."),
        .query("keys", .string, "A JSON array of IDs."),
        .query("startkey", .string, "The first ID, as JSON."),
        .query("endkey", .string, "The last ID, as JSON."),
        .query("limit", .integer(minimum: 0, maximum: 1_000_000), "The maximum number of rows."),
    ]

    private static let wantedDocument = OpenAPI.Schema.fields(
        ["id": .string, "rev": .string, "atts_since": .array(.string), "revs_from": .array(.string)],
        required: ["id"]
    )

    private static func list(_ call: CollectionCall) async throws -> WebResponse {
        try await AllDocuments(keyspace: call.keyspace, access: call.access).get(call.request)
    }
}
#endif
