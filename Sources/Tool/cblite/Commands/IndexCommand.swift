import ArgumentParser
import CouchbaseLiteSwift
import Fleece

/// `cblite index`
struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Lists, creates and deletes indexes.",
        discussion: """
            With a database only, lists the indexes, as ls does.

            EXAMPLES:
              $ cblite index ls travel.cblite2
              $ cblite index create travel.cblite2 by_tz tz geo.alt
              $ cblite index create travel.cblite2 words --full-text name comment --language en
              $ cblite index create travel.cblite2 nearest vector --vector --dimensions 300 --centroids 100
              $ cblite index delete travel.cblite2 by_tz

            All of them accept --json; see their help: cblite help index create.
            """,
        subcommands: [IndexList.self, IndexCreate.self, IndexDelete.self],
        defaultSubcommand: IndexList.self
    )
}

/// `cblite index ls`
struct IndexList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists the indexes of a collection.",
        discussion: """
            EXAMPLES:
              $ cblite index ls travel.cblite2
              $ cblite index ls travel.cblite2 --collection inventory.hotels

            With --json, one object per line for each index: name, kind, expressions, language (SQL++ or JSON), where, path of an array \
            index (or null). A predictive index also has model, the name of its model. A vector index also has dimensions, centroids, encoding, \
            metric, probes, minTraining and maxTraining (null if the library decides), lazy, vectors and trained.
            """,
        aliases: ["list"]
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        let indexes = try database.reading { try collection.open(in: $0).indexDescriptions() }
        let output = Output()
        let table = Table([("Name", .left), ("Kind", .left), ("Details", .left), ("Expressions", .left), ("Where", .left)], to: output)
        for index in indexes {
            guard self.output.json else {
                let details = index.vectorDetails ?? index.modelName ?? index.arrayPath ?? ""
                try table.add([index.name, index.kind ?? "unknown", details, index.expressions, index.condition ?? ""])
                continue
            }
            try output.line(json: JSONWriter.object { $0.members(of: index) }.string)
        }
        if !self.output.json { try table.finish() }
        try output.flush()
    }
}

extension JSONWriter {
    fileprivate mutating func members(of index: IndexDescription) {
        members([
            "name": index.name, "kind": index.kind, "expressions": index.expressions, "language": index.language, "where": index.condition,
            "path": index.arrayPath,
        ])
        if let model = index.modelName { members(["model": model]) }
        guard let vectors = index.vectorConfiguration else { return }
        members([
            "dimensions": vectors.dimensions, "centroids": vectors.centroids, "encoding": vectors.encoding, "metric": vectors.metric,
            "probes": vectors.probes, "minTraining": vectors.minimumTraining, "maxTraining": vectors.maximumTraining,
            "lazy": vectors.isLazy,
            "vectors": index.vectors?.count, "trained": index.vectors?.isTrained,
        ])
    }
}

/// `cblite index create`
struct IndexCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates an index, or replaces the one of that name.",
        discussion: """
            An index is created from one or more SQL++ expressions. An array index, used by UNNEST, contains the elements of the array at \
            a path, or expressions relative to them; a full-text index contains the words of text properties; a vector index contains vectors \
            of numbers, for APPROX_VECTOR_DISTANCE. An expression may begin with a hyphen; write -- before one that is also an option, \
            such as -c.

            EXAMPLES:
              $ cblite index create travel.cblite2 by_tz tz geo.alt
              $ cblite index create travel.cblite2 highest_first -geo.alt
              $ cblite index create travel.cblite2 airports_by_name 'lower(name)' --where "type = 'airport'"
              $ cblite index create travel.cblite2 phone_types --array contacts[].phones type
              $ cblite index create travel.cblite2 words --full-text name comment --language en
              $ cblite index create travel.cblite2 words --full-text name --language en --synonyms synonyms.txt
              $ cblite index create travel.cblite2 nearest vector --vector --dimensions 300 --centroids 100

            A line of the file with synonyms is, for example: car, automobile, motor vehicle. Lines that begin with # are ignored. A search \
            for one of them finds all of them.

            With --json, prints one object: name, and created, which is true.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The name of the index.") var name: String
    @Argument(help: ArgumentHelp("SQL++ expressions.", valueName: "expression")) var expressions: [String] = []
    @Option(
        name: .customLong("where"),
        parsing: .unconditional,
        help: ArgumentHelp("Index only documents that match this condition.", valueName: "condition")
    )
    var condition: String?
    @Option(name: .customLong("array"), help: ArgumentHelp("Create an array index of the array at this path.", valueName: "path"))
    var arrayPath: String?
    @Flag(name: .customLong("full-text"), help: "Create a full-text index.") var isFullText = false
    @Option(help: "The language of the text, for stemming and stop words. None by default.") var language: String?
    @Flag(help: "Ignore accents in a full-text index.") var ignoreAccents = false
    @Option(
        help: ArgumentHelp(
            "The synonyms of a full-text index: a file whose lines are words and phrases with the same meaning, separated by commas.",
            valueName: "file"
        )
    )
    var synonyms: String?
    @OptionGroup(title: "Vector Index") var vectors: VectorOptions
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !expressions.isEmpty || arrayPath != nil else {
            throw ValidationError("An index needs at least one expression. Write -- before one that begins like an option.")
        }
        guard isFullText || language == nil && !ignoreAccents && synonyms == nil else {
            throw ValidationError("--language, --ignore-accents and --synonyms are for a --full-text index.")
        }
        guard !isFullText || arrayPath == nil else { throw ValidationError("Give --array or --full-text, not both.") }
        guard condition == nil || arrayPath == nil else {
            throw ValidationError("An array index cannot have a condition: give --where or --array, not both.")
        }
        try vectors.check(expressions: expressions, hasOtherKind: isFullText || arrayPath != nil, hasCondition: condition != nil)
    }

    func run() throws {
        let configuration = try self.configuration
        try database.writing { database in
            let collection = try collection.open(in: database)
            let bar = ProgressBar("Creating index \(name)", total: nil)
            try bar.whileInterruptible(kept: "The index was not created; nothing was changed.") { stop in
                try collection.createIndex(withName: name, config: configuration) { done, total in
                    try stop.checkInsidePublicAPI()
                    bar.setTotal(total)
                    bar.updateNow(done)
                }
            }
        }
        try output.print("Created index \(name)", ["name": name, "created": true])
    }

    private var configuration: any IndexConfiguration {
        get throws {
            try configuration(synonyms: synonyms.map { try SynonymFile(path: $0).groups } ?? [])
        }
    }

    private func configuration(synonyms: [[String]]) -> any IndexConfiguration {
        // One text, so that the index is stored and listed with the expressions as they were given.
        let text = expressions.joined(separator: ", ")
        if let configuration = vectors.configuration(of: text) { return configuration }
        if let arrayPath { return ArrayIndexConfiguration(path: arrayPath, expressions: text.isEmpty ? nil : [text]) }
        guard isFullText else { return ValueIndexConfiguration([text], where: condition) }
        // An empty language is none; `nil` would be that of the locale.
        return FullTextIndexConfiguration(
            [text],
            where: condition,
            ignoreAccents: ignoreAccents,
            language: language ?? "",
            synonyms: synonyms
        )
    }
}

/// `cblite index delete`
struct IndexDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes an index.",
        discussion: """
            EXAMPLES:
              $ cblite index delete travel.cblite2 by_tz

            With --json, prints one object: name, and deleted, which is true.
            """,
        aliases: ["rm"]
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The name of the index.") var name: String
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        try database.writing { database in
            let collection = try collection.open(in: database)
            guard try collection.index(withName: name) != nil else {
                throw Failure(
                    .notFound,
                    "there is no index \"\(name)\" on \(collection.fullName)",
                    hint: "List the existing indexes with: cblite index ls DATABASE"
                )
            }
            try collection.deleteIndex(forName: name)
        }
        try output.print("Deleted index \(name)", ["name": name, "deleted": true])
    }
}
