import ArgumentParser
import CouchbaseLiteSwift
import Fleece

/// `cblite collections`
struct Collections: ParsableCommand {
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case list, create, delete, rename
    }

    static let configuration = CommandConfiguration(
        abstract: "Lists, creates, deletes and renames collections.",
        discussion: """
            Without an action, lists the collections with the numbers of their documents and tombstones and their indexes. A \
            collection is named NAME, which is in the default scope, or SCOPE.NAME. delete removes all its documents, without \
            tombstones, so that nothing is replicated.

            rename copies the collection and deletes the old one, in one transaction: documents, tombstones, conflicts, revision \
            histories, expiration times and indexes. For replications it is a new collection, which is pushed as a whole.

            EXAMPLES:
              $ cblite collections travel.cblite2
              $ cblite collections travel.cblite2 create inventory.hotels
              $ cblite collections travel.cblite2 rename inventory.hotels inventory.lodgings
              $ cblite collections travel.cblite2 delete inventory.lodgings --yes

            With --json, one object per line for each collection: name, documents, tombstones, lastSequence, indexes [name]. \
            create and delete print one object: name, and created or deleted, which is true. rename prints one object: from, to, documents, \
            tombstones, indexes (their number), lostIndexes [name].
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "list, create, delete or rename.") var action = Action.list
    @Argument(help: "The name of the collection.") var name: String?
    @Argument(help: "The new name, for rename.") var newName: String?
    @Flag(name: .shortAndLong, help: "Delete a collection that has documents without asking.") var yes = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        switch action {
        case .list: guard name == nil else { throw ValidationError("'list' takes no name.") }
        case .create, .delete:
            guard name != nil, newName == nil else { throw ValidationError("'\(action.rawValue)' needs the name of one collection.") }
        case .rename: guard newName != nil else { throw ValidationError("'rename' needs the old and the new name.") }
        }
        for name in [name, newName].compactMap(\.self) { _ = try CollectionName(name) }
        guard !yes || action == .delete else { throw ValidationError("--yes is for 'delete' only.") }
    }

    func run() throws {
        switch (action, try name.map { try CollectionName($0) }, try newName.map { try CollectionName($0) }) {
        case (.create, let name?, _): try create(name)
        case (.delete, let name?, _): try delete(name)
        case (.rename, let old?, let new?): try rename(old, to: new)
        default: try list()
        }
    }

    private func list() throws {
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

    private func create(_ name: CollectionName) throws {
        try database.writing { database in
            guard try name.find(in: database, creating: false) == nil else {
                throw Failure(.cannotCreate, "the collection \(name.fullName) already exists")
            }
            _ = try name.find(in: database, creating: true)
        }
        try output.print("Created collection \(name.fullName).", ["name": name.fullName, "created": true])
    }

    private func delete(_ name: CollectionName) throws {
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

    private func rename(_ old: CollectionName, to new: CollectionName) throws {
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
