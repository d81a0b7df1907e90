import SQLiteEngine

/// Indexes that are created when they are first needed (Storage format 2.4, "Housekeeping indexes").
package enum HousekeepingIndex: Sendable {
    /// An index of sequences, for enumerating changes.
    case sequences
    /// An index of the documents in conflict.
    case conflicts

    private var suffix: String {
        switch self {
        case .sequences: "_seqs"
        case .conflicts: "_conflicts"
        }
    }

    fileprivate func name(on table: String) -> String { table + suffix }

    fileprivate func creation(on table: String) -> String {
        switch self {
        case .sequences: Schema.createSequenceIndex(table)
        case .conflicts:
            """
            CREATE INDEX IF NOT EXISTS \(name(on: table).quotedIdentifier) ON \(table.quotedIdentifier) (flags) \
            WHERE \(Self.isConflicted)
            """
        }
    }

    /// The condition of ``conflicts``. Queries must use exactly this text, otherwise SQLite does not use the index.
    static let isConflicted = "(flags & 2) != 0"
}

extension CollectionStore {
    /// Returns whether the index is missing and the file can be written.
    package func lacks(_ index: HousekeepingIndex) throws -> Bool {
        try checkExists()
        guard file.writerIfWritable != nil else { return false }
        return try file.read { context in
            try tables.names.contains { try !context.connection.contains("index", named: index.name(on: $0)) }
        }
    }

    /// Creates an index if it is missing.
    ///
    /// - Complexity: O(*n*), where *n* is the number of rows in the tables.
    package func create(_ index: HousekeepingIndex, in writer: Writer) throws {
        try checkExists()
        try writer.checkIsInTransaction()
        for table in tables.names { try writer.connection.execute(index.creation(on: table)) }
    }
}
