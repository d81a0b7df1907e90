#if Replication
import Fleece

// The forms in the description.

extension OpenAPI.Operation {
    /// Appends the operation.
    ///
    /// - Parameter names: The names of the parameters in its path.
    func append(_ names: [String], to writer: inout JSONWriter) {
        writer.object { writer in
            writer.members(["operationId": id, "summary": summary])
            let all: [any JSONWritable] = names.map { OpenAPI.Reference("parameters", $0) } + parameters
            if !all.isEmpty { writer.array("parameters", all) { $1.write(to: &$0) } }
            writer.member("requestBody", present: body)
            writer.object("responses") { writer in
                for response in responses { writer.member(String(response.status), response) }
                for status in ["4XX", "503"] { writer.member(status, OpenAPI.Reference("responses", "Error")) }
            }
        }
    }
}

extension OpenAPI {
    /// A reference to one of the components of the description.
    fileprivate struct Reference: JSONWritable {
        let path: String

        init(_ kind: String, _ name: String) { path = "#/components/\(kind)/\(name)" }

        func write(to writer: inout JSONWriter) { writer.object { $0.member("$ref", path) } }
    }
}

extension OpenAPI.Parameter: JSONWritable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.members(["name": name, "in": place, "description": description, "schema": schema])
            if place == "path" { writer.member("required", true) }
        }
    }
}

extension OpenAPI.Body: JSONWritable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.members(["required": isRequired, "description": description])
            writer.content(content, example: example)
        }
    }
}

extension OpenAPI.Response: JSONWritable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("description", description)
            if !content.isEmpty { writer.content(content) }
        }
    }
}

extension OpenAPI.Schema: JSONWritable {
    func write(to writer: inout JSONWriter) {
        if case .named(let name) = self { return OpenAPI.Reference("schemas", name).write(to: &writer) }
        writer.object { writer in
            switch self {
            case .string: writer.member("type", "string")
            case .boolean: writer.member("type", "boolean")
            case .binary: writer.members(["type": "string", "format": "binary"])
            case .object: writer.member("type", "object")
            case .integer(let minimum, let maximum):
                writer.member("type", "integer")
                writer.member("minimum", present: minimum)
                writer.member("maximum", present: maximum)
            case .text(let pattern, let minimum, let maximum):
                writer.members(["type": "string", "pattern": pattern])
                writer.member("minLength", present: minimum)
                writer.member("maxLength", present: maximum)
            case .choice(let texts): writer.members(["type": "string", "enum": texts])
            case .array(let items): writer.members(["type": "array", "items": items])
            case .fields(let fields, let required):
                writer.member("type", "object")
                if !required.isEmpty { writer.member("required", required) }
                writer.object("properties") { writer in
                    for (name, schema) in fields { writer.member(name, schema) }
                }
            case .map(let values): writer.members(["type": "object", "additionalProperties": values])
            case .either(let schemas): writer.member("oneOf", schemas)
            case .named: break
            }
        }
    }
}

extension JSONWriter {
    /// Appends a member unless the value is `nil`.
    fileprivate mutating func member(_ name: StaticString, present value: (some JSONWritable)?) {
        if let value { member(name, value) }
    }

    fileprivate mutating func content(_ content: KeyValuePairs<String, OpenAPI.Schema>, example: String? = nil) {
        object("content") { writer in
            for (type, schema) in content {
                writer.object(type) { writer in
                    writer.member("schema", schema)
                    if let example { writer.member("example", json: example) }
                }
            }
        }
    }
}
#endif
