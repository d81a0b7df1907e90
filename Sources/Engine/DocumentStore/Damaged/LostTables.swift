import Base
import SQLiteEngine

/// Finds the tables that a damaged list of tables does not name any more.
///
/// Rows of the list are searched on pages that no tree leads to, and in old copies of page 1 in the write-ahead log. Other tables are recognized
/// by their content: the trees of documents get their names by comparing the last sequences of their documents with those in `kvmeta`
/// (Storage format 2.5).
struct LostTables {
    /// A tree of documents without a name.
    private struct Tree {
        let root: Int
        let columns: [ExactString: Int]
        var lastSequence: Int64 = 0
        var documents = 0
        var tombstones = 0
        var isTombstones: Bool { tombstones > 0 && documents == 0 }
    }

    /// A row of the list of tables, as it was found.
    struct ListRow {
        let kind: String
        let name: String
        let root: Int
        let sql: String?

        init?(_ record: StoredRecord) {
            guard record.values.count == 5, let kind = record.values[0].text, ["table", "index", "trigger", "view"].contains(kind),
                let name = record.values[1].text, record.values[2].text != nil,
                let root = record.values[3].integer.flatMap({ Int(exactly: $0) }), root >= 0
            else { return nil }
            (self.kind, self.name, self.root, sql) = (kind, name, root, record.values[4].text)
        }
    }

    /// The rows of the list of tables that were found elsewhere.
    private(set) var rows: [ListRow] = []
    /// The collections of trees that were recognized by their content.
    private(set) var documentTables: [DamagedTables.DocumentTable] = []
    private(set) var otherTables: [DamagedTables.OtherTable] = []
    /// How names were found, and which were not.
    private(set) var notes: [DamagedTables.Note] = []

    private static let maximumEntries = 100_000

    /// - Parameters:
    ///   - pages: The state after the list of tables was read; it is not changed.
    ///   - known: The roots of the tables that the list still names.
    init(_ pages: TablePages, known: [DamagedTables.DocumentTable], otherRoots: Set<Int>) {
        var pages = pages
        pages.markFreePages()
        let all = pages.roots()
        // A file without a map has trees only at the pages to which nothing else leads.
        let roots = Set(all)
        var taken = otherRoots.union(known.map(\.root))
        for record in Self.listRows(&pages) where record.root == 0 || roots.contains(record.root) {
            // The newest row comes first.
            guard record.root == 0 ? !rows.contains(where: { $0.name.isExactly(record.name) }) : taken.insert(record.root).inserted else {
                continue
            }
            guard record.kind == "table" else {
                if record.kind == "index" { rows.append(record) }
                continue
            }
            rows.append(record)
        }
        let tableCount = rows.count { $0.kind == "table" }
        if tableCount > 0 { notes.append(.found("\(tableCount) rows of the list of tables were found elsewhere in the files")) }

        var trees: [Tree] = []
        var sequences: [ExactString: Int64] = [:]
        let tableRoots = all.filter { pages.isTablePage($0) }
        for root in all where !taken.contains(root) {
            if tableRoots.contains(root) {
                recognize(root, pages, &trees)
            } else if sequences.isEmpty {
                sequences = Self.lastSequences(root, pages)
            }
        }
        guard !trees.isEmpty else { return }
        var named = known
        for row in rows where row.kind == "table" {
            if let (collection, isTombstones) = DamagedTables.collection(ofTable: row.name) {
                named.append(.init(collection: collection, isTombstones: isTombstones, root: row.root, columns: [:]))
            }
        }
        name(trees, sequences, tableRoots, named: named)
    }

    /// Returns the rows of the list of tables that lie on pages to which page 1 does not lead any more, and those in old copies of page 1.
    private static func listRows(_ pages: inout TablePages) -> [ListRow] {
        var found: [(rowID: Int64, row: ListRow)] = []
        pages.forEachLostRow { record in
            if let row = ListRow(record) { found.append((record.rowID, row)) }
        }
        // Of two tables at the same page, the newer one has the higher number.
        found.sort { $0.rowID > $1.rowID }
        return found.map(\.row) + pages.rowsOfOldCopies(ofPage: 1).flatMap { $0.compactMap(ListRow.init) }
    }

    // MARK: Recognizing trees

    private mutating func recognize(_ root: Int, _ pages: TablePages, _ trees: inout [Tree]) {
        var pages = pages
        var tree = Tree(root: root, columns: Self.columns(root, pages))
        var (others, information, indexes) = (0, 0, 0)
        _ = pages.forEachRow(root: root) { record in
            if let row = DamagedRow(record, columns: tree.columns) {
                tree.lastSequence = max(tree.lastSequence, row.sequence)
                if row.isDeleted { tree.tombstones += 1 } else { tree.documents += 1 }
            } else if let key = record.values.first?.text, record.values.count >= 5, Self.informationKeys.containsExactly(key) {
                information += 1
            } else if Self.isIndexRow(record) {
                indexes += 1
            } else {
                others += 1
            }
        }
        if tree.documents + tree.tombstones > 0, others + information + indexes == 0 {
            trees.append(tree)
        } else if information > 0, indexes == 0, tree.documents == 0 {
            add(StoreName.table(StoreName.info), root, Schema.createTable(StoreName.table(StoreName.info)))
        } else if indexes > 0, others + information + tree.documents == 0 {
            add("indexes", root, IndexTables.createRegistry)
        }
    }

    private mutating func add(_ name: String, _ root: Int, _ sql: String) {
        otherTables.append(.init(name: name, root: root, sql: sql))
    }

    private static let informationKeys = [
        InfoStore.versioning, InfoStore.publicUUID, InfoStore.privateUUID, InfoStore.sharedKeys,
    ]

    /// Whether a row is one of the table `indexes` (Storage format 5.1), with its columns in the usual order.
    private static func isIndexRow(_ record: StoredRecord) -> Bool {
        guard (5...7).contains(record.values.count), record.values[0].text?.isEmpty == false,
            let type = record.values[1].integer, (0...4).contains(type), let store = record.values[2].text
        else { return false }
        return CollectionID(storeName: store) != nil
    }

    /// Returns the places of the columns: releases differ in the order of the last two (Storage format 2.4).
    private static func columns(_ root: Int, _ pages: TablePages) -> [ExactString: Int] {
        var pages = pages
        var isSwapped = false
        _ = pages.forEachRow(root: root) { record in
            if record.values.count > 5, case .blob = record.values[5] { isSwapped = true }
        }
        guard isSwapped else { return DamagedTables.usualColumns }
        var columns = DamagedTables.usualColumns
        (columns["extra"], columns["expiration"]) = (columns["expiration"], columns["extra"])
        return columns
    }

    /// Returns the last sequences of the stores if an index tree is the table `kvmeta`; otherwise, nothing.
    private static func lastSequences(_ root: Int, _ pages: TablePages) -> [ExactString: Int64] {
        var sequences: [ExactString: Int64] = [:]
        for entry in pages.entries(root: root, limit: maximumEntries) {
            guard (2...3).contains(entry.values.count), let name = entry.values[0].text, let last = entry.values[1].integer, last >= 0,
                entry.values.count == 2 || entry.values[2].integer != nil
            else { return [:] }
            if CollectionID(storeName: name) != nil {
                sequences[ExactString(name)] = last
            } else if name != StoreName.info, !name.hasPrefix("del_") {
                return [:]
            }
        }
        return sequences
    }

    // MARK: Naming trees

    /// Gives each tree the collection to which it belongs.
    ///
    /// - Parameters:
    ///   - sequences: The last sequence of each store.
    ///   - tableRoots: The roots of all tables. Those of a collection are created together, so that one follows the other.
    ///   - named: The tables that are known already.
    private mutating func name(
        _ trees: [Tree],
        _ sequences: [ExactString: Int64],
        _ tableRoots: [Int],
        named: [DamagedTables.DocumentTable]
    ) {
        var collections: [Int: CollectionID] = [:]
        var owners: [Int: (collection: CollectionID, isTombstones: Bool)] = [:]
        for table in named { owners[table.root] = (table.collection, table.isTombstones) }
        var guesses: Set<CollectionID> = []
        func isTaken(_ collection: CollectionID, _ tree: Tree) -> Bool {
            owners.values.contains { $0.collection == collection && $0.isTombstones == tree.isTombstones }
        }
        func assign(_ collection: CollectionID, to tree: Tree) {
            collections[tree.root] = collection
            owners[tree.root] = (collection, tree.isTombstones)
        }
        func open() -> [Tree] { trees.filter { collections[$0.root] == nil } }
        let names = sequences.compactMap { name, last in CollectionID(storeName: name.string).map { (id: $0, last: last) } }

        // The last document that was changed has the last sequence of its collection.
        for tree in trees {
            let fitting = names.filter { $0.last == tree.lastSequence && !isTaken($0.id, tree) }
            let rivals = trees.filter { $0.lastSequence == tree.lastSequence }
            if fitting.count == 1, rivals.count == 1 { assign(fitting[0].id, to: tree) }
        }
        // The default collection is created with the file.
        if let tree = open().first(where: { $0.root == tableRoots.first && !$0.isTombstones }), !isTaken(.default, tree) {
            assign(.default, to: tree)
        }
        // The table of tombstones follows that of the documents.
        func neighbours() {
            for tree in open() {
                guard let place = tableRoots.firstIndex(of: tree.root) else { continue }
                let neighbour = tree.isTombstones ? place - 1 : place + 1
                guard tableRoots.indices.contains(neighbour), let owner = owners[tableRoots[neighbour]],
                    owner.isTombstones != tree.isTombstones, !isTaken(owner.collection, tree),
                    sequences[ExactString(owner.collection.storeName)].map({ $0 >= tree.lastSequence }) != false
                else { continue }
                assign(owner.collection, to: tree)
            }
        }
        neighbours()
        // One tree and one name that are left over belong together.
        var left = open().filter { !$0.isTombstones }
        let leftNames = names.filter { name in name.last > 0 && !owners.values.contains { $0.collection == name.id && !$0.isTombstones } }
        if left.count == 1, leftNames.count == 1, leftNames[0].last >= left[0].lastSequence {
            assign(leftNames[0].id, to: left[0])
            guesses.insert(leftNames[0].id)
            left = []
            neighbours()
        }
        let matched = Set(collections.values)
        for id in matched.subtracting(guesses).sorted() {
            notes.append(.found("the documents of \(id.fullName) were recognized by their last sequence and the place of their table"))
        }
        for id in guesses { notes.append(.found("the documents of \(id.fullName) were recognized because no other name was left over")) }
        nameByNumber(open(), tableRoots, &collections, leftNames.map(\.id).filter { !guesses.contains($0) })
        for tree in trees {
            guard let collection = collections[tree.root] else { continue }
            documentTables.append(
                .init(collection: collection, isTombstones: tree.isTombstones, root: tree.root, columns: tree.columns)
            )
        }
    }

    /// Gives names with the number of their page to the trees whose collection was not found.
    private mutating func nameByNumber(
        _ trees: [Tree],
        _ tableRoots: [Int],
        _ collections: inout [Int: CollectionID],
        _ unused: [CollectionID]
    ) {
        for tree in trees {
            let place = tableRoots.firstIndex(of: tree.root) ?? 0
            // The tombstones are kept with the documents before them.
            let before = tree.isTombstones && place > 0 ? trees.first { $0.root == tableRoots[place - 1] && !$0.isTombstones } : nil
            let number = before?.root ?? tree.root
            // A number always makes a valid name.
            guard let id = try? CollectionID(name: "recovered-\(number)") else { continue }
            collections[tree.root] = id
            guard before == nil else { continue }
            let choices = unused.map(\.fullName).sorted().joined(separator: ", ")
            notes.append(
                .unnamed(
                    "the name of the collection whose documents begin on page \(tree.root) is lost; they are in \(id.fullName)"
                        + (choices.isEmpty ? "" : ", and may be those of \(choices)")
                )
            )
        }
    }
}
