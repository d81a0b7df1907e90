#if Replication
/// The attachments of documents.
extension HubEndpoints {
    static let attachments: [HubEndpoint<CollectionCall>] = [
        .init(
            "GET /{keyspace}/{document}/{attachment}",
            "readAttachment",
            "Returns the content of an attachment, or a range of it.",
            parameters: [.rev, .header("Range", "A range of bytes."), .header("If-None-Match", "The entity tag of a known content.")],
            .init(200, "The content.", ["*/*": .binary]),
            .init(206, "A range of the content.", ["*/*": .binary]),
            .init(304, "The client has this content.")
        ) { try AttachmentRequests(documents: $0.documents).get($0.documentID, $0.name, $0.request) },
        .init(
            "PUT /{keyspace}/{document}/{attachment}",
            "storeAttachment",
            "Stores an attachment in a new revision of the document.",
            parameters: [.rev, .ifMatch],
            body: .init("The content.", ["application/octet-stream": .binary], upTo: .attachment),
            .json("The attachment is stored.", .named("Stored"), status: 201)
        ) { try await AttachmentRequests(documents: $0.documents).put($0.documentID, $0.name, $0.request) },
        .init(
            "DELETE /{keyspace}/{document}/{attachment}",
            "removeAttachment",
            "Removes an attachment in a new revision of the document.",
            parameters: [.rev, .ifMatch],
            .json("The attachment is removed.", .named("Stored"))
        ) { try AttachmentRequests(documents: $0.documents).delete($0.documentID, $0.name, $0.request) },
    ]
}
#endif
