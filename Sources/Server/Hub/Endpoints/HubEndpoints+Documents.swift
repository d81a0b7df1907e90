#if Replication

/// Databases, documents and local documents.
extension HubEndpoints {
    private typealias Endpoint = HubEndpoint<CollectionCall>

    static let databases = [
        HubRoute(
            "/{keyspace}/",
            [
                Endpoint("GET", "information", "Returns the last sequence of a collection.", responses: [.json("The information.")]) {
                    try DatabaseInformation.response($0.keyspace)
                },
                Endpoint(
                    "PUT",
                    "createDatabase",
                    "Is refused: with 412 if the database or the collection exists, as clients of CouchDB expect, and otherwise with 403.",
                    responses: []
                ) { _ in throw HubError.databaseExists },
                Endpoint(
                    "POST",
                    "create",
                    "Stores a document under a new ID, or under `_id`.",
                    body: .json("The properties of the document.").upTo(.documentWithAttachments),
                    responses: [.json("The document is stored.", .named("Stored"))]
                ) { try await $0.documents.put(nil, $0.request) },
            ]
        ),
        HubRoute(
            "/{keyspace}/_ensure_full_commit",
            [
                Endpoint(
                    "POST",
                    "ensureFullCommit",
                    "For clients of CouchDB: each request that stores something commits it before its response.",
                    responses: [.json("What was stored is committed.", status: 201)]
                ) { try await DatabaseInformation.committed($0.keyspace, $0.request) }
            ]
        ),
    ]

    static let documents = [
        HubRoute("/{keyspace}/{document}", [readDocument, storeDocument, removeDocument]),
        HubRoute("/{keyspace}/_local/{local}", [readLocal, storeLocal, removeLocal]),
    ]

    private static let readDocument = Endpoint(
        "GET",
        "read",
        "Returns a document.",
        [
            .rev, .query("revs", .boolean, "Whether the history is returned as `_revisions`."), .attachments, .showExpiration,
            .query("revs_from", .string, "A JSON array of revisions: `_revisions` ends with the first of these."), .revsLimit,
            .query(
                "atts_since",
                .string,
                "A JSON array of revisions: attachments that the newest of these has are returned without their content."
            ),
            .query("meta", .boolean, "Whether `_conflicts`, `_deleted_conflicts` and `_revs_info` are returned."),
            .query("open_revs", .string, "`all`, or a JSON array of revisions."),
            .header("If-None-Match", "The entity tag of a known revision."),
        ],
        responses: [
            .json("The document, or with `open_revs` an array of revisions.", .either([.object, .array(.object)])),
            .init(304, "The client has this revision."),
        ]
    ) { try await $0.documents.getInTurn($0.documentID, $0.request) }

    private static let storeDocument = Endpoint(
        "PUT",
        "store",
        "Stores a revision of a document.",
        [.rev, .query("new_edits", .boolean, "`false` stores a revision that was made elsewhere, with `_revisions`."), .ifMatch],
        body: OpenAPI.Body(
            description: "The properties of the document.",
            content: [("application/json", .object), ("multipart/related", .string)],
            limit: .documentWithAttachments
        ),
        responses: [.json("The document is stored.", .named("Stored"), status: 201)]
    ) { try await $0.documents.put($0.documentID, $0.request) }

    private static let removeDocument = Endpoint(
        "DELETE",
        "remove",
        "Stores a tombstone.",
        [.rev, .header("If-Match", "The entity tag of the revision that is deleted.")],
        responses: [.json("The document is deleted.", .named("Stored"))]
    ) { try $0.documents.delete($0.documentID, $0.request) }

    private static let readLocal = Endpoint(
        "GET",
        "readLocal",
        "Returns a local document, which is not replicated.",
        responses: [.json("The document.")]
    ) { try $0.local.get($0.name) }

    private static let storeLocal = Endpoint(
        "PUT",
        "storeLocal",
        "Stores a local document.",
        [.rev],
        body: .json("The properties, with `_rev` if the document exists."),
        responses: [.json("The document is stored.", .named("Stored"), status: 201)]
    ) { try await $0.local.put($0.name, $0.request) }

    private static let removeLocal = Endpoint(
        "DELETE",
        "removeLocal",
        "Deletes a local document.",
        [.rev],
        responses: [.json("The document is deleted.", .named("Stored"))]
    ) { try $0.local.delete($0.name, $0.request) }
}

extension CollectionCall {
    fileprivate var local: LocalDocuments { LocalDocuments(keyspace: keyspace, access: access) }
}

extension OpenAPI.Parameter {
    static let rev = query("rev", .string, "The ID of a revision.")
    static let ifMatch = header("If-Match", "The entity tag of the revision that is changed.")
    static let attachments = query("attachments", .boolean, "Whether the contents of attachments are returned.")
    static let showExpiration = query("show_exp", .boolean, "Whether a document that expires contains the time as `_exp`.")
    static let revsLimit = query("revs_limit", .integer(minimum: 0), "The maximum number of revisions in `_revisions`.")
}
#endif
