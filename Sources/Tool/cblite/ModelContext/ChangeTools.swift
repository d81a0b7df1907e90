import CouchbaseLiteSwift
import Fleece

/// Runs a statement that changes documents.
struct ChangeTool: AssistantTool {
    let name = "change"
    let description = """
        Runs UPDATE, DELETE, INSERT or UPSERT in SQL++. The first call changes nothing: it returns how many documents would change, examples before \
        and after, and a code. Show this to the user, then call again with the same arguments and the code as confirm.
        """
    let arguments = [
        ToolArgument.database, ToolArgument("statement", .string, "The statement in SQL++.", isRequired: true), .parameters, .confirm,
    ]
    let isReadOnly = false
    private let previews: ChangePreviews

    init(_ previews: ChangePreviews) { self.previews = previews }

    func call(_ arguments: MessageArguments, endedBy cancellation: RunCancellation) throws -> String {
        try previews.run(
            arguments.requiredString("statement"),
            arguments.object("parameters"),
            in: arguments.string("database"),
            confirming: arguments.string("confirm"),
            endedBy: cancellation
        )
    }
}

/// Saves one document.
struct SaveTool: AssistantTool {
    let name = "save"
    let description = """
        Creates a document, or replaces all its properties. The first call changes nothing: it returns the document before and after, and a code. \
        Show this to the user, then call again with the same arguments and the code as confirm.
        """
    let arguments = [
        ToolArgument.database, .collection, ToolArgument("id", .string, "The ID of the document.", isRequired: true),
        ToolArgument("document", .object, "The properties.", isRequired: true), .confirm,
    ]
    let isReadOnly = false
    private let previews: ChangePreviews

    init(_ previews: ChangePreviews) { self.previews = previews }

    func call(_ arguments: MessageArguments, endedBy cancellation: RunCancellation) throws -> String {
        let id = try arguments.requiredString("id")
        let collection = try CollectionName(arguments.string("collection") ?? Database.defaultCollectionName)
        guard let document = try arguments.object("document") else { throw Failure(.usage, "the argument document is missing") }
        let parameters = JSONWriter.object { writer in
            writer.member("id", id)
            writer.member("document", json: document)
        }.string
        return try previews.run(
            "UPSERT INTO \(collection.scope.quotedName).\(collection.name.quotedName) (KEY, VALUE) VALUES ($id, $document)",
            parameters,
            in: arguments.string("database"),
            confirming: arguments.string("confirm"),
            endedBy: cancellation
        )
    }
}

extension ToolArgument {
    fileprivate static let confirm = ToolArgument("confirm", .string, "The code from the first call. Without it, nothing is changed.")
}
