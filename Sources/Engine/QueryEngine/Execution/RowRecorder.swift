import Fleece
import QueryLanguage
import SQLiteEngine

/// Copies the rows of a statement into ``RecordedRows``.
struct RowRecorder: ~Copyable {
    private let titles: [String]
    private let documentColumns: [Int]
    private let hiddenColumnCount: Int
    private let searchedTable: RowMatches.Table?
    private var rowCount = 0
    private var bytes: UnsafeMutableRawPointer
    /// Whether the memory at ``bytes`` belongs to the result.
    private var handsMemoryOver = false
    private var count = 0
    private var capacity = 512
    private var cells: [RecordedRows.Cell] = []
    private var matches: [RowMatches] = []
    /// The approximate size of the matches in memory.
    private var matchSize = 0
    /// The maximum size in memory. The offsets of values have 32 bits.
    private let limit: Int

    /// - Parameters:
    ///   - table: The table of the query's first full-text index; `nil` if the query has no match positions.
    ///   - hiddenColumnCount: The number of columns before the first result column; `nil` for the number that the query has.
    init(
        _ query: CompiledQuery,
        searching table: RowMatches.Table?,
        hiddenColumnCount: Int? = nil,
        limit: Int = Limits.maximumSize
    ) {
        self.limit = limit
        searchedTable = table
        titles = query.columnTitles
        documentColumns = query.documentColumns
        self.hiddenColumnCount = hiddenColumnCount ?? query.hiddenColumnCount
        bytes = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit {
        if !handsMemoryOver { bytes.deallocate() }
    }

    /// Records the current row of a statement.
    ///
    /// - Throws: ``QueryError`` if the result would become larger than 2 GiB.
    mutating func record(_ statement: Statement) throws(QueryError) {
        if hiddenColumnCount > 1, let table = searchedTable {
            let offsets = statement.textBytes(at: 1)
            // A hit has at least eight bytes of text.
            matchSize += MemoryLayout<RowMatches>.stride + offsets.count / 8 * MemoryLayout<RowMatches.Hit>.stride
            try checkSize()
            matches.append(RowMatches(in: table, documentNumber: statement.int64(at: 0), offsets: offsets))
        }
        for column in hiddenColumnCount..<(hiddenColumnCount + titles.count) { try appendCell(statement, column) }
        try endRow()
    }

    /// Counts a row whose columns were appended one by one.
    ///
    /// - Throws: ``QueryError`` if the result would become larger than 2 GiB.
    mutating func endRow() throws(QueryError) {
        rowCount += 1
        try checkSize()
    }

    /// Whether enough rows for a batch are recorded, if the result is read in batches.
    var isLargeBatch: Bool { rowCount >= 256 || count >= 1 << 20 }

    /// Throws an error if the result would be larger than the limit after `more` bytes are added.
    private func checkSize(adding more: Int = 0) throws(QueryError) {
        guard count + more + cells.count * MemoryLayout<RecordedRows.Cell>.stride + matchSize <= limit else {
            throw QueryError.resultTooLarge
        }
    }

    private mutating func appendCell(_ statement: Statement, _ column: Int) throws(QueryError) {
        switch statement.columnType(column) {
        case .null: appendMissing()
        case .integer: try append(statement.int64(at: column))
        case .real: try append(statement.double(at: column))
        case .text: try append(text: statement.textBytes(at: column))
        case .blob:
            let document = statement.blob(at: column)
            // Invalid Fleece is recorded as null.
            guard Value(root: document) != nil, let start = document.baseAddress else { return try appendNull() }
            cells.append(.init(documentAt: count))
            try reserve(document.count)
            (bytes + count).copyMemory(from: start, byteCount: document.count)
            count += document.count
        }
    }

    mutating func appendMissing() { cells.append(.init(valueAt: count)) }

    /// Appends a boolean as a Fleece document, the form that it has in the columns of a statement.
    mutating func append(_ flag: Bool) throws(QueryError) {
        cells.append(.init(documentAt: count))
        try reserve(2)
        bytes.storeBytes(of: UInt16(flag ? 0x3800 : 0x3400).bigEndian, toByteOffset: count, as: UInt16.self)
        count += 2
    }

    /// Appends a floating-point number as Fleece.
    mutating func append(_ number: Double) throws(QueryError) {
        cells.append(.init(valueAt: count))
        try reserve(10)
        bytes.storeBytes(of: UInt16(0x2800).bigEndian, toByteOffset: count, as: UInt16.self)
        bytes.storeBytes(of: number.bitPattern.littleEndian, toByteOffset: count + 2, as: UInt64.self)
        count += 10
    }

    private mutating func appendNull() throws(QueryError) {
        cells.append(.init(valueAt: count))
        try reserve(2)
        bytes.storeBytes(of: UInt16(0x3000).bigEndian, toByteOffset: count, as: UInt16.self)
        count += 2
    }

    /// Appends an integer as Fleece (Storage format 1.2). The long form always has eight bytes.
    mutating func append(_ number: Int64) throws(QueryError) {
        cells.append(.init(valueAt: count))
        try reserve(10)
        if number >= -2048, number < 2048 {
            let bits = UInt16(truncatingIfNeeded: number) & 0x0FFF
            bytes.storeBytes(of: bits.bigEndian, toByteOffset: count, as: UInt16.self)
            count += 2
            return
        }
        bytes.storeBytes(of: 0x17, toByteOffset: count, as: UInt8.self)
        bytes.storeBytes(of: number.littleEndian, toByteOffset: count + 1, as: Int64.self)
        bytes.storeBytes(of: 0, toByteOffset: count + 9, as: UInt8.self)
        count += 10
    }

    /// Appends a string as Fleece (Storage format 1.4).
    mutating func append(text: UnsafeRawBufferPointer) throws(QueryError) {
        cells.append(.init(valueAt: count))
        try reserve(text.count + EncodedString.overhead)
        count += EncodedString.write(text, to: bytes + count)
    }

    private mutating func reserve(_ size: Int) throws(QueryError) {
        guard count + size > capacity else { return }
        try checkSize(adding: size)
        let larger = max(min(capacity * 2, limit), count + size)
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
        buffer.copyMemory(from: bytes, byteCount: count)
        bytes.deallocate()
        bytes = buffer
        capacity = larger
    }

    /// Returns the recorded rows.
    consuming func finish() -> RecordedRows {
        cells.append(.init(valueAt: count))
        let recorded = UnsafeRawBufferPointer(start: bytes, count: count)
        // The memory of a large result, of which up to half is unused, is replaced.
        handsMemoryOver = capacity <= 4096
        let data = handsMemoryOver ? FleeceData(owning: recorded) : FleeceData(copying: recorded)
        return RecordedRows(
            columnTitles: titles,
            documentColumns: documentColumns,
            count: rowCount,
            data: data,
            cells: cells,
            matches: matches
        )
    }
}

extension QueryError {
    static var resultTooLarge: QueryError { QueryError(.invalidQuery, "the result of the query is larger than 2 GiB") }
}
