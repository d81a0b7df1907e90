import CouchbaseLiteSwift
import Fleece

/// Answers the requests of one assistant: the methods of the Model Context Protocol.
final class ModelContextSession {
    /// The versions of the protocol, newest first. They differ in nothing that this server uses.
    private static let versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

    private let databases: ServedDatabases
    private let tools: [any AssistantTool]

    init(_ databases: ServedDatabases, limits: ToolLimits, isWritable: Bool) {
        self.databases = databases
        var tools: [any AssistantTool] = [
            CollectionsTool(databases), SchemaTool(databases), QueryTool(databases, limits), ExplainTool(databases),
            SearchTool(databases, limits), DocumentTool(databases, limits),
        ]
        if isWritable {
            let previews = ChangePreviews(databases, limits)
            tools += [ChangeTool(previews) as any AssistantTool, SaveTool(previews)]
        }
        self.tools = tools
    }

    /// Returns the result of a request as JSON; `nil` for a notification.
    ///
    /// - Parameter cancellation: Ends a query.
    /// - Throws: ``ProtocolError`` if the method does not exist or its parameters are invalid; `CancellationError` if the request was cancelled.
    func result(of message: ModelContextMessage, endedBy cancellation: RunCancellation) throws -> String? {
        guard message.id != nil else { return nil }
        switch message.method {
        case "initialize": return try initialization(message.parameters)
        case "tools/list": return JSONWriter.object { writer in writer.objects("tools", tools) { $1.describe(to: &$0) } }.string
        case "tools/call": return try call(message.parameters, cancellation)
        case "resources/list": return try parameters { try ModelContextResources(databases).list() }
        case "resources/templates/list": return ModelContextResources(databases).templates()
        case "resources/read":
            return try parameters { try ModelContextResources(databases).read(try message.parameters.requiredString("uri")) }
        default: throw ProtocolError(.methodNotFound, "there is no method \(message.method)", id: nil)
        }
    }

    private func initialization(_ parameters: MessageArguments) throws -> String {
        let wanted = try self.parameters { try parameters.string("protocolVersion") }
        let version = Self.versions.first { $0 == wanted } ?? Self.versions[0]
        return JSONWriter.object { writer in
            writer.member("protocolVersion", version)
            writer.object("capabilities") { writer in
                writer.object("tools", [:])
                writer.object("resources", [:])
            }
            writer.object("serverInfo", ["name": "cblite", "title": "Couchbase Lite databases", "version": LibraryVersion.number])
            writer.member("instructions", Self.instructions)
        }.string
    }

    private static let instructions = """
        Couchbase Lite databases: JSON documents in collections, queried in SQL++. Begin with the tool collections, then schema for the \
        properties of a collection. In SQL++, _ is the default collection, META().id is the ID of a document, and values are passed as \
        $name in parameters. Keep results small: select properties instead of *, and use LIMIT.
        """

    private func call(_ parameters: MessageArguments, _ cancellation: RunCancellation) throws -> String {
        let name = try self.parameters { try parameters.requiredString("name") }
        guard let tool = tools.first(where: { $0.name.isSame(as: name) }) else {
            throw ProtocolError(.invalidParameters, "there is no tool \"\(name)\"", id: nil)
        }
        do {
            let arguments = parameters["arguments"]
            try arguments.check(names: tool.arguments.map(\.name))
            return content(try tool.call(arguments, endedBy: cancellation), isError: false)
        } catch {
            if error is CancellationError { throw error }
            // So that the assistant can correct the call.
            return content(Failure(error)?.text ?? "\(error)", isError: true)
        }
    }

    private func content(_ text: String, isError: Bool) -> String {
        JSONWriter.object { writer in
            writer.objects("content", [text]) { writer, text in writer.members(["type": "text", "text": text]) }
            writer.member("isError", isError)
        }.string
    }

    /// Runs `body`, whose errors are those of the parameters of a request.
    private func parameters<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ProtocolError {
            throw error
        } catch {
            throw ProtocolError(.invalidParameters, Failure(error)?.text ?? "\(error)", id: nil)
        }
    }
}
