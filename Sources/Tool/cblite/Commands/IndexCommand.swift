import ArgumentParser
import CouchbaseLiteSwift
import Fleece

/// `cblite index`
struct IndexCommand: ParsableCommand {
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case list, create, delete
    }

    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Lists, creates and deletes indexes.",
        discussion: """
            Without an action, lists the indexes of the collection. An index is created from one or more SQL++ expressions and \
            replaces an index of the same name. An array index, used by UNNEST, contains the elements of the array at a path, or \
            expressions relative to them; a full-text index contains the words of text properties.

            EXAMPLES:
              $ cblite index travel.cblite2
              $ cblite index travel.cblite2 create by_tz tz geo.alt
              $ cblite index travel.cblite2 create airports_by_name 'lower(name)' --where "type = 'airport'"
              $ cblite index travel.cblite2 create phone_types --array contacts[].phones type
              $ cblite index travel.cblite2 create words --full-text name comment --language en
              $ cblite index travel.cblite2 delete by_tz

            With --json, one object per line for each index: name, kind, expressions, language (SQL++ or JSON), where, path of an array \
            index (or null). create and delete print one object: name, and created or deleted, which is true.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "list, create or delete.") var action = Action.list
    @Argument(help: "The name of the index.") var name: String?
    @Argument(help: ArgumentHelp("SQL++ expressions, for create.", valueName: "expression")) var expressions: [String] =
        []
    @Option(name: .customLong("where"), help: ArgumentHelp("Index only documents that match this condition.", valueName: "condition"))
    var condition: String?
    @Option(name: .customLong("array"), help: ArgumentHelp("Create an array index of the array at this path.", valueName: "path"))
    var arrayPath: String?
    @Flag(name: .customLong("full-text"), help: "Create a full-text index.") var isFullText = false
    @Option(help: "The language of the text, for stemming and stop words. None by default.") var language: String?
    @Flag(help: "Ignore accents in a full-text index.") var ignoreAccents = false
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        switch action {
        case .list:
            guard name == nil else { throw ValidationError("'list' takes no name.") }
        case .create:
            guard name != nil, !expressions.isEmpty || arrayPath != nil else {
                throw ValidationError(
                    "'create' needs a name and at least one expression. Write -- before expressions that begin with a hyphen."
                )
            }
        case .delete:
            guard name != nil, expressions.isEmpty else { throw ValidationError("'delete' needs the name of one index.") }
        }
        guard condition == nil && arrayPath == nil && !isFullText || action == .create else {
            throw ValidationError("--where, --array and --full-text are for 'create' only.")
        }
        guard isFullText || language == nil && !ignoreAccents else {
            throw ValidationError("--language and --ignore-accents are for a --full-text index.")
        }
        guard !isFullText || arrayPath == nil else { throw ValidationError("Give --array or --full-text, not both.") }
        guard condition == nil || arrayPath == nil else {
            throw ValidationError("An array index cannot have a condition: give --where or --array, not both.")
        }
    }

    func run() throws {
        switch (action, name) {
        case (.create, let name?):
            try database.writing { database in
                let collection = try collection.open(in: database)
                let bar = ProgressBar("Creating index \(name)", total: nil)
                try bar.whileInterruptible(kept: "The index was not created; nothing was changed.") { stop in
                    try create(name, on: collection) { done, total in
                        try stop.checkInsidePublicAPI()
                        bar.setTotal(total)
                        bar.updateNow(done)
                    }
                }
            }
            try report(name, "created", "Created index \(name)")
        case (.delete, let name?):
            try database.writing { try delete(name, from: collection.open(in: $0)) }
            try report(name, "deleted", "Deleted index \(name)")
        default:
            try list(database.reading { try collection.open(in: $0).indexDescriptions() })
        }
    }

    private func create(
        _ name: String,
        on collection: DocumentCollection,
        progress: @escaping (Int, _ total: Int) throws -> Void
    ) throws {
        // One text, so that the index is stored and listed with the expressions as they were given.
        let text = expressions.joined(separator: ", ")
        let configuration: any IndexConfiguration =
            if let arrayPath {
                ArrayIndexConfiguration(path: arrayPath, expressions: text.isEmpty ? nil : [text])
            } else if isFullText {
                // An empty language is none; `nil` would be that of the locale.
                FullTextIndexConfiguration([text], where: condition, ignoreAccents: ignoreAccents, language: language ?? "")
            } else {
                ValueIndexConfiguration([text], where: condition)
            }
        try collection.createIndex(withName: name, config: configuration, progress: progress)
    }

    private func delete(_ name: String, from collection: DocumentCollection) throws {
        guard try collection.index(withName: name) != nil else {
            throw Failure(
                .notFound,
                "there is no index \"\(name)\" on \(collection.fullName)",
                hint: "List the existing indexes with: cblite index DATABASE"
            )
        }
        try collection.deleteIndex(forName: name)
    }

    private func list(_ indexes: [IndexDescription]) throws {
        let output = Output()
        let table = Table(
            [("Name", .left), ("Kind", .left), ("Path", .left), ("Expressions", .left), ("Where", .left)],
            to: output
        )
        for index in indexes {
            guard self.output.json else {
                try table.add([index.name, index.kind ?? "unknown", index.arrayPath ?? "", index.expressions, index.condition ?? ""])
                continue
            }
            try output.line(
                json: JSONWriter.object([
                    "name": index.name, "kind": index.kind, "expressions": index.expressions, "language": index.language,
                    "where": index.condition, "path": index.arrayPath,
                ]).string
            )
        }
        if !self.output.json { try table.finish() }
        try output.flush()
    }

    private func report(_ name: String, _ what: String, _ text: String) throws { try output.print(text, ["name": name, what: true]) }
}
