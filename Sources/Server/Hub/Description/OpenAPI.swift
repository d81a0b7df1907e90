#if Replication
/// What the description of the REST API says about requests, in the terms of OpenAPI 3.0.
enum OpenAPI {
    /// One method of a path.
    struct Operation: Sendable {
        /// `GET`, `PUT`, `POST` or `DELETE`. `HEAD` counts as `GET`.
        let method: String
        /// The name by which generated clients call the operation.
        let id: String
        let summary: String
        /// The parameters in the query and in header fields. Those in the path follow from the path.
        let parameters: [Parameter]
        /// The body of the request; `nil` if it needs none.
        let body: Body?
        /// The responses, beside the errors that all operations have.
        let responses: [Response]
    }

    struct Parameter: Sendable {
        /// Where a parameter is: `path`, `query` or `header`.
        let place: String
        let name: String
        let schema: Schema
        let description: String

        static func query(_ name: String, _ schema: Schema, _ description: String) -> Self {
            Self(place: "query", name: name, schema: schema, description: description)
        }

        static func header(_ name: String, _ description: String) -> Self {
            Self(place: "header", name: name, schema: .string, description: description)
        }

        static func path(_ name: String, _ schema: Schema, _ description: String) -> Self {
            Self(place: "path", name: name, schema: schema, description: description)
        }
    }

    /// The body of a request.
    struct Body: Sendable {
        let description: String
        /// The schemas of the types that the body may have.
        let content: KeyValuePairs<String, Schema>
        /// A body as JSON; `nil` for none.
        let example: String?
        let isRequired: Bool
        let limit: BodyLimit

        static func json(
            _ description: String,
            _ schema: Schema = .object,
            example: String? = nil,
            isRequired: Bool = true,
            upTo limit: BodyLimit = .bytes(1 << 20)
        ) -> Self {
            Self(description, ["application/json": schema], example: example, isRequired: isRequired, upTo: limit)
        }

        init(
            _ description: String,
            _ content: KeyValuePairs<String, Schema>,
            example: String? = nil,
            isRequired: Bool = true,
            upTo limit: BodyLimit
        ) {
            (self.description, self.content, self.example) = (description, content, example)
            (self.isRequired, self.limit) = (isRequired, limit)
        }
    }

    /// The maximum size of a body.
    enum BodyLimit: Sendable {
        case bytes(Int)
        /// That of a document, of an attachment, or of a document that attachments follow.
        case document, attachment, documentWithAttachments

        func bytes(_ options: HubOptions) -> Int {
            switch self {
            case .bytes(let count): count
            case .document: options.maximumDocumentSize
            case .attachment: options.maximumAttachmentSize
            case .documentWithAttachments: options.maximumDocumentSize + options.maximumAttachmentSize
            }
        }
    }

    struct Response: Sendable {
        let status: Int
        let description: String
        /// The schemas of the types that the body may have; empty if there is no body.
        let content: KeyValuePairs<String, Schema>

        init(_ status: Int, _ description: String, _ content: KeyValuePairs<String, Schema> = [:]) {
            (self.status, self.description, self.content) = (status, description, content)
        }

        static func json(_ description: String, _ schema: Schema = .object, status: Int = 200) -> Self {
            Self(status, description, ["application/json": schema])
        }

        static func text(_ description: String, status: Int = 200) -> Self {
            Self(status, description, ["text/plain": .string])
        }
    }

    /// What a value may be.
    indirect enum Schema: Sendable {
        case string
        case boolean
        case binary
        case object
        case integer(minimum: Int? = nil, maximum: Int? = nil)
        /// A text that matches a regular expression.
        case text(pattern: String, minimum: Int? = nil, maximum: Int? = nil)
        case choice([String])
        case array(Schema)
        /// An object with these members.
        case fields(KeyValuePairs<String, Schema>, required: [String] = [])
        /// An object whose members all have the same schema.
        case map(Schema)
        case either([Schema])
        /// One of the schemas in the components of the description.
        case named(String)
    }
}
#endif
