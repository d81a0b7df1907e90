import SQLiteEngine

/// What the file says about the indexes of a collection whose content depends on more than the documents (Storage format 5.12).
///
/// Both parts are rows of `kv_info`, where other programs do not change unknown rows (Storage format 2.6). A program that does not know
/// them leaves a sequence that is older than its own changes.
struct IndexRecord {
    /// The indexes, with the state of what each depended on; see ``DependentIndexes/Group/record(_:_:)``.
    let indexes: [UInt8]?
    /// The last sequence of the collection when a program changed it that knows the record.
    let sequence: UInt64?

    private static func indexesKey(_ store: String) -> String { "CouchbaseLiteSwift.indexes:" + store }
    private static func sequenceKey(_ store: String) -> String { "CouchbaseLiteSwift.indexedSequence:" + store }

    init(of store: String, on connection: Connection) throws {
        indexes = try InfoStore.bytes(Self.indexesKey(store), on: connection)
        sequence = try InfoStore.integer(Self.sequenceKey(store), on: connection)
    }

    static func write(_ indexes: [UInt8], of store: String, on connection: Connection) throws {
        try InfoStore.set(indexesKey(store), to: indexes, on: connection)
    }

    static func write(_ sequence: UInt64, of store: String, on connection: Connection) throws {
        try InfoStore.set(sequenceKey(store), to: InfoStore.encode(sequence), on: connection)
    }

    /// Returns the stores of which there are records.
    static func stores(on connection: Connection) throws -> [String] {
        try connection.texts("SELECT substr(key, \(indexesKey("").count + 1)) FROM kv_info WHERE key GLOB '\(indexesKey(""))*'")
    }

    static func remove(of store: String, on connection: Connection) throws {
        for key in [indexesKey(store), sequenceKey(store)] { try InfoStore.remove(key, on: connection) }
    }
}
