import ArgumentParser
import CouchbaseLiteSwift
import Fleece

/// `cblite collections`
struct Collections: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists, creates, deletes and renames collections.",
        discussion: """
            With a database only, lists the collections, as ls does. A collection is named NAME, which is in the default scope, or \
            SCOPE.NAME.

            EXAMPLES:
              $ cblite collections ls travel.cblite2
              $ cblite collections create travel.cblite2 inventory.hotels
              $ cblite collections rename travel.cblite2 inventory.hotels inventory.lodgings
              $ cblite collections delete travel.cblite2 inventory.lodgings --yes

            All of them accept --json; see their help: cblite help collections ls.
            """,
        subcommands: [CollectionList.self, CollectionCreate.self, CollectionRename.self, CollectionDelete.self],
        defaultSubcommand: CollectionList.self
    )
}

/// `cblite collections ls`
struct CollectionList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists the collections, with the numbers of their documents and tombstones and their indexes.",
        discussion: """
            EXAMPLES:
              $ cblite collections ls travel.cblite2

            With --json, one object per line for each collection: name, documents, tombstones, lastSequence, indexes [name].
            """,
        aliases: ["list"]
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        let collections = try CollectionReport.all(database.opening())
        let output = Output()
        let table = Table(
            [
                ("Collection", .left), ("Documents", .right), ("Tombstones", .right), ("Last sequence", .right), ("Indexes", .left),
            ],
            to: output
        )
        for collection in collections {
            guard self.output.json else {
                try table.add([
                    collection.name, collection.counts.documents.grouped, collection.counts.tombstones.grouped,
                    collection.lastSequence.grouped,
                    collection.indexes.joined(separator: ", "),
                ])
                continue
            }
            try output.line(
                json: JSONWriter.object([
                    "name": collection.name, "documents": collection.counts.documents, "tombstones": collection.counts.tombstones,
                    "lastSequence": collection.lastSequence, "indexes": collection.indexes,
                ]).string
            )
        }
        if !self.output.json { try table.finish() }
        try output.flush()
    }
}

/// `cblite collections create`
struct CollectionCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates a collection.",
        discussion: """
            EXAMPLES:
              $ cblite collections create travel.cblite2 inventory.hotels

            With --json, prints one object: name, and created, which is true.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The name of the collection.") var name: String
    @OptionGroup var output: OutputOptions

    func validate() throws { _ = try CollectionName(name) }

    func run() throws {
        let name = try CollectionName(name)
        try database.writing { database in
            guard try name.find(in: database, creating: false) == nil else {
                throw Failure(.cannotCreate, "the collection \(name.fullName) already exists")
            }
            _ = try name.find(in: database, creating: true)
        }
        try output.print("Created collection \(name.fullName).", ["name": name.fullName, "created": true])
    }
}

/// `cblite collections delete`
struct CollectionDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a collection with all its documents.",
        discussion: """
            The documents are removed without tombstones, so that nothing is replicated.

            EXAMPLES:
              $ cblite collections delete travel.cblite2 inventory.lodgings
              $ cblite collections delete travel.cblite2 inventory.lodgings --yes

            With --json, prints one object: name, and deleted, which is true.
            """,
        aliases: ["rm"]
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The name of the collection.") var name: String
    @Flag(name: .shortAndLong, help: "Delete a collection that has documents without asking.") var yes = false
    @OptionGroup var output: OutputOptions

    func validate() throws { _ = try CollectionName(name) }

    func run() throws {
        let name = try CollectionName(name)
        try database.writing { database in
            let collection = try name.open(in: database)
            // The default collection cannot be deleted, which is not worth a question.
            if collection.count > 0, !yes, collection.fullName != DocumentCollection.defaultFullName {
                try Terminal.confirm("Delete \(name.fullName) with \(collection.count.counted("document"))?")
            }
            try database.deleteCollection(name: name.name, scope: name.scope)
        }
        try output.print("Deleted collection \(name.fullName).", ["name": name.fullName, "deleted": true])
    }
}

/// `cblite collections rename`
struct CollectionRename: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Renames a collection, or moves it to another scope.",
        discussion: """
            Copies the collection and deletes the old one, in one transaction: documents, tombstones, conflicts, revision \
            histories, expiration times and indexes. For replications it is a new collection, which is pushed as a whole.

            EXAMPLES:
              $ cblite collections rename travel.cblite2 inventory.hotels inventory.lodgings

            With --json, prints one object: from, to, documents, tombstones, indexes (their number), lostIndexes [name].
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The name of the collection.") var name: String
    @Argument(help: "The new name.") var newName: String
    @OptionGroup var output: OutputOptions

    func validate() throws {
        for name in [name, newName] { _ = try CollectionName(name) }
    }

    func run() throws {
        let (old, new) = (try CollectionName(name), try CollectionName(newName))
        let renamed = try database.writing { database in
            let total = try old.find(in: database, creating: false)?.count
            let progress = ProgressBar("Copying", total: total.map { Int(clamping: $0) })
            defer { progress.finish() }
            return try database.renameCollection(old, to: new) { progress.updateNow($0) }
        }
        let parts = [
            renamed.documents.counted("document"), renamed.tombstones.counted("tombstone"),
            "\(renamed.indexes) \(renamed.indexes == 1 ? "index" : "indexes")",
        ]
        try output.print(
            "Renamed \(old.fullName) to \(new.fullName): \(parts.joined(separator: ", ")).",
            [
                "from": old.fullName, "to": new.fullName, "documents": renamed.documents, "tombstones": renamed.tombstones,
                "indexes": renamed.indexes, "lostIndexes": renamed.lostIndexes,
            ]
        )
        for index in renamed.lostIndexes {
            StandardStreams.printError("\(Failure.prefix)the index \(index) was not copied: this tool cannot create indexes of its kind\n")
        }
    }
}
