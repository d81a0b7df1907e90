#if Replication
/// Databases, documents and local documents.
extension HubEndpoints {
    static let databases: [HubEndpoint<CollectionCall>] = [
        .init("GET /{keyspace}/", "information", "Returns the last sequence of a collection.", .json("The information.")) {
            try DatabaseInformation.response($0.keyspace)
        },
        .init(
            "PUT /{keyspace}/",
            "createDatabase",
            "Is refused: with 412 if the database or the collection exists, as clients of CouchDB expect, and otherwise with 403."
        ) { _ in throw HubError.databaseExists },
        .init(
            "POST /{keyspace}/",
            "create",
            "Stores a document under a new ID, or under `_id`.",
            body: .json("The properties of the document.", upTo: .documentWithAttachments),
            .json("The document is stored.", .named("Stored"))
        ) { try await $0.documents.put(nil, $0.request) },
        .init(
            "POST /{keyspace}/_ensure_full_commit",
            "ensureFullCommit",
            "For clients of CouchDB: each request that stores something commits it before its response.",
            .json("What was stored is committed.", status: 201)
        ) { try await DatabaseInformation.committed($0.keyspace, $0.request) },
    ]

    static let documents: [HubEndpoint<CollectionCall>] = [
        .init(
            "GET /{keyspace}/{document}",
            "read",
            "Returns a document.",
            parameters: documentParameters,
            .json("The document, or with `open_revs` an array of revisions.", .either([.object, .array(.object)])),
            .init(304, "The client has this revision.")
        ) { try await $0.documents.get($0.documentID, $0.request) },
        .init(
            "PUT /{keyspace}/{document}",
            "store",
            "Stores a revision of a document.",
            parameters: [
                .rev, .query("new_edits", .boolean, "`false` stores a revision that was made elsewhere, with `_revisions`."), .ifMatch,
            ],
            body: .init(
                "The properties of the document.",
                ["application/json": .object, "multipart/related": .string],
                upTo: .documentWithAttachments
            ),
            .json("The document is stored.", .named("Stored"), status: 201)
        ) { try await $0.documents.put($0.documentID, $0.request) },
        .init(
            "DELETE /{keyspace}/{document}",
            "remove",
            "Stores a tombstone.",
            parameters: [.rev, .header("If-Match", "The entity tag of the revision that is deleted.")],
            .json("The document is deleted.", .named("Stored"))
        ) { try $0.documents.delete($0.documentID, $0.request) },

        .init("GET /{keyspace}/_local/{local}", "readLocal", "Returns a local document, which is not replicated.", .json("The document.")) {
            try $0.local.get($0.name)
        },
        .init(
            "PUT /{keyspace}/_local/{local}",
            "storeLocal",
            "Stores a local document.",
            parameters: [.rev],
            body: .json("The properties, with `_rev` if the document exists."),
            .json("The document is stored.", .named("Stored"), status: 201)
        ) { try await $0.local.put($0.name, $0.request) },
        .init(
            "DELETE /{keyspace}/_local/{local}",
            "removeLocal",
            "Deletes a local document.",
            parameters: [.rev],
            .json("The document is deleted.", .named("Stored"))
        ) { try $0.local.delete($0.name, $0.request) },
    ]

    private static let documentParameters: [OpenAPI.Parameter] = [
        .rev, .showVersion, .query("revs", .boolean, "Whether the history is returned as `_revisions`."), .attachments, .showExpiration,
        .query("revs_from", .string, "A JSON array of revisions: `_revisions` ends with the first of these."), .revsLimit,
        .query(
            "atts_since",
            .string,
            "A JSON array of revisions: attachments that the newest of these has are returned without their content."
        ),
        .query("meta", .boolean, "Whether `_conflicts`, `_deleted_conflicts` and `_revs_info` are returned."),
        .query("open_revs", .string, "`all`, or a JSON array of revisions."),
        .header("If-None-Match", "The entity tag of a known revision."),
    ]
}

extension CollectionCall {
    fileprivate var local: LocalDocuments { LocalDocuments(keyspace: keyspace, access: access) }
}

extension OpenAPI.Parameter {
    static let rev = query("rev", .string, "The ID of a revision.")
    static let ifMatch = header("If-Match", "The entity tag of the revision that is changed.")
    static let attachments = query("attachments", .boolean, "Whether the contents of attachments are returned.")
    static let showExpiration = query("show_exp", .boolean, "Whether a document that expires contains the time as `_exp`.")
    static let showVersion = query(
        "show_cv",
        .boolean,
        "Whether the document contains the version of its current revision as `_cv`, in a database with version vectors."
    )
    static let revsLimit = query("revs_limit", .integer(minimum: 0), "The maximum number of revisions in `_revisions`.")
}
#endif
