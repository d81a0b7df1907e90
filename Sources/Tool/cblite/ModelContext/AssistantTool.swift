import CouchbaseLiteSwift
import Fleece

/// A tool that an assistant can call.
protocol AssistantTool {
    var name: String { get }
    /// What it does, for the assistant.
    var description: String { get }
    var arguments: [ToolArgument] { get }
    var isReadOnly: Bool { get }

    /// - Returns: The text for the assistant, usually JSON.
    /// - Throws: `CancellationError` if the request was cancelled; other errors are reported to the assistant.
    func call(_ arguments: MessageArguments, endedBy cancellation: RunCancellation) throws -> String
}

/// What a call of a tool may take.
struct ToolLimits: Sendable {
    /// The most rows of a result.
    let rows: Int
    /// The most time of a query or statement, in seconds.
    let seconds: Double
    /// The most bytes of the rows or documents of a result.
    let bytes = 256 << 10
}

extension AssistantTool {
    var isReadOnly: Bool { true }

    /// Writes the members that describe the tool.
    func describe(to writer: inout JSONWriter) {
        writer.members(["name": name, "description": description])
        writer.object("inputSchema") { writer in
            writer.member("type", "object")
            writer.object("properties") { writer in
                for argument in arguments {
                    writer.object(argument.name, ["type": argument.type.rawValue, "description": argument.description])
                }
            }
            writer.member("required", arguments.filter(\.isRequired).map(\.name))
            writer.member("additionalProperties", false)
        }
        writer.object("annotations", ["readOnlyHint": isReadOnly, "destructiveHint": !isReadOnly, "openWorldHint": false])
    }
}

/// An argument of a tool.
struct ToolArgument {
    enum Kind: String {
        case string, integer, object
    }

    let name: String
    let type: Kind
    let description: String
    var isRequired = false

    init(_ name: String, _ type: Kind = .string, _ description: String, isRequired: Bool = false) {
        (self.name, self.type, self.description, self.isRequired) = (name, type, description, isRequired)
    }

    static let database = ToolArgument(
        "database",
        .string,
        "The name of the database, from the tool collections. May be omitted if there is one."
    )
    static let collection = ToolArgument("collection", .string, "The collection: NAME or SCOPE.NAME. Default: the default collection.")
    static let parameters = ToolArgument("parameters", .object, "The values of the parameters in the statement, by name without $.")
}

extension MessageArguments {
    /// Returns the collection that the argument of this name names.
    func collection(in database: Database) throws -> DocumentCollection {
        try CollectionName(try string("collection") ?? Database.defaultCollectionName).open(in: database)
    }

    /// Returns the parameters for a query.
    func parameters() throws -> Parameters { try Parameters(json: object("parameters")) }
}

extension Parameters {
    /// Creates parameters from a JSON object; without any for `nil`.
    convenience init(json: String?) throws {
        self.init()
        guard let json else { return }
        let values = try MutableDictionaryObject(json: json)
        for name in values.keys { setValue(values.value(forKey: name), forName: name) }
    }
}

extension String {
    /// Whether both texts have the same bytes.
    func isSame(as other: String?) -> Bool { other.map { utf8.elementsEqual($0.utf8) } ?? false }
}
