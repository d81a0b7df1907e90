#if Replication
import Fleece

/// The description of the REST API in the format of OpenAPI 3.0, which `GET /_openapi` returns.
enum HubDescription {
    /// Returns the description of paths as JSON.
    ///
    /// - Parameter needsLogin: Whether the requests are those of users.
    static func json(_ paths: [(path: String, operations: [OpenAPI.Operation])], needsLogin: Bool) -> [UInt8] {
        JSONWriter.object(capacity: 64 << 10) { writer in
            writer.member("openapi", "3.0.3")
            writer.object(
                "info",
                [
                    "title": "CouchbaseLiteSwift Hub", "version": "0.9.0",
                    "description": "The REST API of `cblite serve --hub`, as on Sync Gateway's public port.",
                ]
            )
            writer.object("paths") { writer in
                for (path, operations) in paths {
                    let names = path.split(separator: "/").filter { $0.first == "{" }.map { String($0.dropFirst().dropLast()) }
                    writer.object(path) { writer in
                        for operation in operations {
                            writer.name(operation.method.lowercased())
                            operation.append(names, to: &writer)
                        }
                    }
                }
            }
            writer.object("components") { appendComponents(to: &$0) }
            writer.objects("security", needsLogin ? ["password", "session"] : []) { $0.member($1, [String]()) }
        }.byteArray
    }

    private static func appendComponents(to writer: inout JSONWriter) {
        writer.object("schemas") { writer in
            for (name, schema) in schemas { writer.member(name, schema) }
        }
        writer.object("responses", ["Error": OpenAPI.Response.json("An error: its short name and the reason.", .named("Error"))])
        writer.object("securitySchemes") { writer in
            writer.object("password", ["type": "http", "scheme": "basic"])
            writer.object("session", ["type": "apiKey", "in": "cookie", "name": Sessions.cookieName])
        }
        writer.object("parameters") { writer in
            for parameter in pathParameters { writer.member(parameter.name, parameter) }
        }
    }

    private static let schemas: KeyValuePairs<String, OpenAPI.Schema> = [
        "Error": .fields(["error": .string, "reason": .string], required: ["error", "reason"]),
        "Stored": .fields(["id": .string, "ok": .boolean, "rev": .string, "cv": .string], required: ["id", "ok", "rev"]),
        "User": .fields([
            "name": .string, "password": .string, "admin_channels": .array(.string), "admin_roles": .array(.string), "disabled": .boolean,
        ]),
        "Role": .fields(["name": .string, "admin_channels": .array(.string)]),
        "Rows": .fields(["rows": .array(.object), "total_rows": .integer()], required: ["rows", "total_rows"]),
        "Changes": .fields(["results": .array(.object), "last_seq": .string], required: ["results", "last_seq"]),
    ]

    /// What the parts of paths in braces stand for.
    private static let pathParameters: [OpenAPI.Parameter] = [
        .path(
            "keyspace",
            .text(pattern: "^[A-Za-z0-9._-]+$", minimum: 1),
            "A database, or a collection of it: `db`, `db.collection`, `db.scope.collection`."
        ),
        .path("database", .text(pattern: "^[A-Za-z0-9-]+$", minimum: 1), "The name of a database."),
        .path("user", .text(pattern: "^[A-Za-z0-9._-]+$", minimum: 1, maximum: 100), "The name of a user."),
        .path("role", .text(pattern: "^[A-Za-z0-9._-]+$", minimum: 1, maximum: 100), "The name of a role."),
        .path(
            "document",
            .text(pattern: "^[A-Za-z0-9-][A-Za-z0-9_.:-]*$", minimum: 1, maximum: 100),
            "The ID of a document. It does not begin with an underscore."
        ),
        .path("attachment", .text(pattern: "^[A-Za-z0-9-]+$", minimum: 1), "The name of an attachment."),
        .path("local", .text(pattern: "^[A-Za-z0-9-]+$", minimum: 1, maximum: 100), "The name of a local document."),
    ]
}
#endif
