#if Replication

/// The attachments of documents.
extension HubEndpoints {
    private typealias Endpoint = HubEndpoint<CollectionCall>

    static let attachments = [
        HubRoute(
            "/{keyspace}/{document}/{attachment}",
            [
                Endpoint(
                    "GET",
                    "readAttachment",
                    "Returns the content of an attachment, or a range of it.",
                    [
                        .rev, .header("Range", "A range of bytes."),
                        .header("If-None-Match", "The entity tag of a known content."),
                    ],
                    responses: [
                        .init(200, "The content.", [("*/*", .binary)]), .init(206, "A range of the content.", [("*/*", .binary)]),
                        .init(304, "The client has this content."),
                    ]
                ) { try $0.attachments.get($0.documentID, $0.name, $0.request) },
                Endpoint(
                    "PUT",
                    "storeAttachment",
                    "Stores an attachment in a new revision of the document.",
                    [.rev, .ifMatch],
                    body: OpenAPI.Body(
                        description: "The content.",
                        content: [("application/octet-stream", .binary)],
                        limit: .attachment
                    ),
                    responses: [.json("The attachment is stored.", .named("Stored"), status: 201)]
                ) { try await $0.attachments.put($0.documentID, $0.name, $0.request) },
                Endpoint(
                    "DELETE",
                    "removeAttachment",
                    "Removes an attachment in a new revision of the document.",
                    [.rev, .ifMatch],
                    responses: [.json("The attachment is removed.", .named("Stored"))]
                ) { try $0.attachments.delete($0.documentID, $0.name, $0.request) },
            ]
        )
    ]
}

extension CollectionCall {
    fileprivate var attachments: AttachmentRequests { AttachmentRequests(documents: documents) }
}
#endif
