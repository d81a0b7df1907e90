import DocumentStore
import SQLiteEngine
import VectorSearch

/// Writes the cells of a vector index and the places of documents in them (Vector search 9.2, FL-4…6).
struct VectorCellWriter {
    /// A vector to write: the row number of its document, and its norm and code, or its components.
    struct Member {
        var row: Int64
        var entry: [UInt8]
    }

    let tables: VectorIndexTables
    /// How the vectors of buckets are stored.
    let layout: VectorCell.Layout
    /// How vectors are stored that are in no bucket: those of an index that is not trained, and those that are not coded yet.
    let rawLayout: VectorCell.Layout
    let connection: Connection

    private func layout(ofBucket bucket: Int64) -> VectorCell.Layout { bucket < 0 ? rawLayout : layout }
    /// Returns the number of vectors in a full cell of a bucket.
    func capacity(ofBucket bucket: Int64) -> Int { VectorCell.capacity(codeSize: layout(ofBucket: bucket).codeSize) }
    private var cells: String { tables.cells.quotedIdentifier }
    private var rows: String { tables.rows.quotedIdentifier }
    private var dead: String { tables.dead.quotedIdentifier }

    // MARK: Writing

    /// Writes a new cell, and returns how many of the members it has: as many as fit.
    @discardableResult
    func insert(_ members: ArraySlice<Member>, bucket: Int64) throws -> Int {
        let members = members.prefix(capacity(ofBucket: bucket))
        let statement = try connection.cachedStatement("INSERT INTO \(cells) (bucket, count, data) VALUES (?, ?, ?)")
        try bind(members, layout(ofBucket: bucket), to: statement, firstParameter: 2) { try statement.bind(bucket, at: 1) }
        let cell = try connection.scalar("SELECT last_insert_rowid()") ?? 0
        for (slot, member) in members.enumerated() { try place(member.row, in: cell, slot) }
        return members.count
    }

    /// Adds vectors to a bucket: first to a cell that is not full, then in new cells.
    func append(_ members: [Member], bucket: Int64) throws {
        var rest = members[...]
        if let unfilled = try unfilledCell(of: bucket) {
            let deadSlots = try self.deadSlots(of: unfilled.id)
            let kept = try livingMembers(of: unfilled, without: deadSlots)
            let added = rest.prefix(max(0, capacity(ofBucket: bucket) - kept.count))
            try rewrite(unfilled, kept + added, isRenumbered: !deadSlots.isEmpty)
            for (index, member) in added.enumerated() { try place(member.row, in: unfilled.id, kept.count + index) }
            rest = rest.dropFirst(added.count)
        }
        while !rest.isEmpty { rest = rest.dropFirst(try insert(rest, bucket: bucket)) }
    }

    /// The most bytes of cells that one transaction writes again (Vector search EN-27).
    private static let maximumRewritten = 32 << 20

    /// Writes the cells that have dead places again, without these. What is too much for one transaction is left to the next.
    func removeDead() throws {
        var size = 0
        for id in try numbers("SELECT DISTINCT cell FROM \(dead)") {
            if size > Self.maximumRewritten { return }
            guard let found = try cell(id) else {
                try delete("DELETE FROM \(dead) WHERE cell = ?", id)
                continue
            }
            size += found.data.count
            let kept = try livingMembers(of: found, without: deadSlots(of: id))
            if kept.count * 2 > capacity(ofBucket: found.bucket) {
                try rewrite(found, kept, isRenumbered: true)
            } else {
                // Many small cells would be slow to search.
                try remove(id)
                try append(kept, bucket: found.bucket)
            }
        }
    }

    /// Removes a cell, whose vectors are somewhere else.
    func remove(_ cell: Int64) throws {
        try delete("DELETE FROM \(dead) WHERE cell = ?", cell)
        try delete("DELETE FROM \(cells) WHERE id = ?", cell)
    }

    private func rewrite(_ cell: Cell, _ members: [Member], isRenumbered: Bool) throws {
        let id = cell.id
        let statement = try connection.cachedStatement("UPDATE \(cells) SET count = ?, data = ? WHERE id = ?")
        try bind(members[...], layout(ofBucket: cell.bucket), to: statement, firstParameter: 1) { try statement.bind(id, at: 3) }
        guard isRenumbered else { return }
        try delete("DELETE FROM \(dead) WHERE cell = ?", id)
        for (slot, member) in members.enumerated() { try place(member.row, in: id, slot) }
    }

    /// Runs a statement whose parameters are the count and the bytes of a cell, and another one.
    private func bind(
        _ members: ArraySlice<Member>,
        _ layout: VectorCell.Layout,
        to statement: Statement,
        firstParameter: Int,
        _ bindOther: () throws -> Void
    ) throws {
        let bytes = VectorCell.encode(rows: members.map(\.row), entries: members.map(\.entry), layout)
        defer { statement.resetAndClear() }
        try bindOther()
        try statement.bind(members.count, at: firstParameter)
        try statement.bindBlob(bytes, at: firstParameter + 1)
        try statement.run()
    }

    /// Records where the vector of a document is. If the document has changed since, it stays marked.
    private func place(_ row: Int64, in cell: Int64, _ slot: Int) throws {
        let statement = try connection.cachedStatement(
            "INSERT INTO \(rows) (docid, state, cell, slot) VALUES (?, 3, ?, ?) "
                + "ON CONFLICT (docid) DO UPDATE SET state = CASE state WHEN 0 THEN 0 ELSE 3 END, "
                + "cell = excluded.cell, slot = excluded.slot, bucket = NULL, code = NULL"
        )
        defer { statement.reset() }
        try statement.bind(row, at: 1)
        try statement.bind(cell, at: 2)
        try statement.bind(slot, at: 3)
        try statement.run()
    }

    // MARK: Reading

    struct Cell {
        let id: Int64
        let bucket: Int64
        let count: Int64
        let data: [UInt8]
    }

    private func unfilledCell(of bucket: Int64) throws -> Cell? {
        try cell("bucket = ? AND count < \(capacity(ofBucket: bucket)) ORDER BY id DESC LIMIT 1", bucket)
    }

    /// Returns a cell; `nil` if there is none with that number.
    func cell(_ id: Int64) throws -> Cell? { try cell("id = ?", id) }

    private func cell(_ condition: String, _ parameter: Int64) throws -> Cell? {
        let statement = try connection.cachedStatement("SELECT id, bucket, count, data FROM \(cells) WHERE \(condition)")
        defer { statement.reset() }
        try statement.bind(parameter, at: 1)
        guard try statement.step() else { return nil }
        return Cell(
            id: statement.int64(at: 0),
            bucket: statement.int64(at: 1),
            count: statement.int64(at: 2),
            data: Array(statement.blob(at: 3))
        )
    }

    /// Returns the norm and code in a place; `nil` if the file has no such place.
    func entry(in cell: Cell, slot: Int64) throws -> [UInt8]? { try member(in: cell, slot: slot)?.entry }

    /// Returns what is in a place; `nil` if the file has no such place.
    func member(in cell: Cell, slot: Int64) throws -> Member? {
        try cell.data.withUnsafeBytes { bytes in
            let view = try VectorCell.View(bytes, count: cell.count, layout(ofBucket: cell.bucket))
            guard slot >= 0, slot < view.count else { return nil }
            return Member(row: view.row(at: Int(slot)), entry: view.entry(at: Int(slot)))
        }
    }

    private func livingMembers(of cell: Cell, without deadSlots: Set<Int64>) throws -> [Member] {
        try cell.data.withUnsafeBytes { bytes in
            let view = try VectorCell.View(bytes, count: cell.count, layout(ofBucket: cell.bucket))
            return (0..<view.count).filter { !deadSlots.contains(Int64($0)) }
                .map { Member(row: view.row(at: $0), entry: view.entry(at: $0)) }
        }
    }

    /// Returns the vectors of a cell whose places count.
    func livingMembers(of cell: Cell) throws -> [Member] { try livingMembers(of: cell, without: deadSlots(of: cell.id)) }

    private func deadSlots(of cell: Int64) throws -> Set<Int64> {
        Set(try numbers("SELECT slot FROM \(dead) WHERE cell = ?", cell))
    }

    /// Returns the first column of a statement, with a parameter if it has one.
    func numbers(_ sql: String, _ parameter: Int64? = nil) throws -> [Int64] {
        let statement = try connection.cachedStatement(sql)
        defer { statement.reset() }
        if let parameter { try statement.bind(parameter, at: 1) }
        var numbers: [Int64] = []
        while try statement.step() { numbers.append(statement.int64(at: 0)) }
        return numbers
    }

    private func delete(_ sql: String, _ parameter: Int64) throws {
        let statement = try connection.cachedStatement(sql)
        defer { statement.reset() }
        try statement.bind(parameter, at: 1)
        try statement.run()
    }
}

/// Collects vectors by bucket, and writes each cell when it is full.
struct VectorCellCollector {
    private let writer: VectorCellWriter
    private var pending: [Int64: [VectorCellWriter.Member]] = [:]
    private var pendingSize = 0

    /// The most bytes that wait for their cells to be full.
    private static let maximumSize = 32 << 20

    init(_ writer: VectorCellWriter) { self.writer = writer }

    mutating func add(_ member: VectorCellWriter.Member, bucket: Int64) throws {
        pending[bucket, default: []].append(member)
        pendingSize += member.entry.count + 48
        if let members = pending[bucket], members.count == writer.capacity(ofBucket: bucket) {
            try writer.insert(members[...], bucket: bucket)
            pending[bucket] = nil
            pendingSize -= members.reduce(0) { $0 + $1.entry.count + 48 }
        } else if pendingSize > Self.maximumSize {
            try finish()
        }
    }

    /// Writes what is left, the buckets in order.
    mutating func finish() throws {
        for (bucket, members) in pending.sorted(by: { $0.key < $1.key }) { try writer.append(members, bucket: bucket) }
        pending.removeAll()
        pendingSize = 0
    }
}
