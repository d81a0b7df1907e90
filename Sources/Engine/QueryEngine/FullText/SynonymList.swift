import Base
import DocumentStore
import Fleece
import QueryLanguage
import SQLiteEngine
import Synchronization

/// The synonyms of a full-text index: groups of words and phrases of which each is also found by the others (Query 6.14).
///
/// They are a row of `kv_info`, so that the layout of the index stays that of Couchbase Lite.
struct SynonymList {
    /// The most groups, the most entries of a group, the most bytes of an entry, and the most of all.
    private static let limits = (groups: 10_000, entries: 64, entry: 256, all: 1 << 20)

    private let groups: [[String]]

    /// - Throws: ``QueryError`` (`invalidParameter`) if the list is too large, or has a group of fewer than two entries, or an empty entry.
    init(_ groups: [[String]]) throws {
        guard groups.count <= Self.limits.groups else { throw Self.error("has more than \(Self.limits.groups) groups") }
        var size = 0
        for group in groups {
            let start = group.first ?? ""
            guard (2...Self.limits.entries).contains(group.count) else {
                throw Self.error("has a group with \(group.count) entries instead of 2 to \(Self.limits.entries): \"\(start)\"")
            }
            for entry in group {
                guard entry.utf8.count <= Self.limits.entry else {
                    throw Self.error("has an entry of more than \(Self.limits.entry) bytes: \"\(entry.prefix(40))\"")
                }
                guard entry.unicodeScalars.contains(where: { $0.properties.isAlphabetic || $0.properties.numericType != nil }) else {
                    throw Self.error("has an entry without a word: \"\(entry)\"")
                }
                size += entry.utf8.count
            }
        }
        guard size <= Self.limits.all else { throw Self.error("has more than \(Self.limits.all) bytes") }
        self.groups = groups
    }

    private static func error(_ reason: String) -> QueryError { QueryError(.invalidParameter, "the list of synonyms \(reason)") }

    // MARK: Storage

    private static func key(ofTable table: String) -> String { "CouchbaseLiteSwift.synonyms.\(table)" }

    /// Returns the stored groups of a full-text table; none if there are none, or if they are invalid.
    static func stored(forTable table: String, on connection: Connection) throws -> [[String]] {
        guard let bytes = try InfoStore.bytes(key(ofTable: table), on: connection) else { return [] }
        return (try? groups(in: bytes)) ?? []
    }

    /// Returns whether a full-text table has synonyms.
    static func exists(forTable table: String, on connection: Connection) throws -> Bool {
        try InfoStore.bytes(key(ofTable: table), on: connection) != nil
    }

    /// Stores the groups of a full-text table, or removes its list if there are none.
    static func store(_ groups: [[String]], forTable table: String, on connection: Connection) throws {
        guard !groups.isEmpty else { return try InfoStore.remove(key(ofTable: table), on: connection) }
        let writer = JSONWriter.array(groups) { writer, group in writer.array(group) { $0.value($1) } }
        try InfoStore.set(key(ofTable: table), to: Array(writer.string.utf8), on: connection)
    }

    private static func groups(in bytes: [UInt8]) throws -> [[String]] {
        var groups: [[String]] = []
        try JSON.fleece(String(decoding: bytes, as: UTF8.self)).withRoot { root in
            guard let list = root.array else { return }
            for number in 0..<list.count {
                guard let group = list[number]?.array else { continue }
                groups.append((0..<group.count).compactMap { group[$0]?.string })
            }
        }
        return try SynonymList(groups).groups
    }

    // MARK: Lookup

    /// The groups by the terms of their entries.
    struct Terms {
        fileprivate let source: [UInt8]
        fileprivate let statement: String
        /// The entries of all groups, as folded words.
        private let groups: [[[[UInt8]]]]
        /// The groups of each entry, which is given by its terms, separated by spaces.
        private let positions: [[UInt8]: [Int]]

        fileprivate init(_ source: [UInt8], _ statement: String, _ analyzer: FullTextAnalyzer) {
            (self.source, self.statement) = (source, statement)
            groups = ((try? SynonymList.groups(in: source)) ?? []).map { group in
                group.map { entry in
                    var words: [[UInt8]] = []
                    Array(entry.utf8).withUnsafeBufferPointer { bytes in
                        analyzer.forEachWord(of: bytes) { word, _ in
                            words.append(Array(word))
                            return true
                        }
                    }
                    return words
                }.filter { !$0.isEmpty }
            }
            var positions: [[UInt8]: [Int]] = [:]
            for (position, group) in groups.enumerated() {
                for entry in group { positions[Self.key(entry, analyzer), default: []].append(position) }
            }
            self.positions = positions
        }

        private static func key(_ words: [[UInt8]], _ analyzer: FullTextAnalyzer) -> [UInt8] {
            Array(words.map(analyzer.stem(of:)).joined(separator: [UInt8(ascii: " ")]))
        }

        /// Returns the words of the other entries in the groups that contain these words.
        func others(than words: [[UInt8]], _ analyzer: FullTextAnalyzer) -> [[[UInt8]]] {
            let own = Self.key(words, analyzer)
            var known: Set<[UInt8]> = [own]
            return (positions[own] ?? []).flatMap { groups[$0] }.filter { known.insert(Self.key($0, analyzer)).inserted }
        }
    }

    /// The list that was used last, because reading a long one takes longer than most searches.
    private static let lastTerms = Mutex<Terms?>(nil)

    /// Returns the groups of a full-text table, prepared for its patterns; `nil` if it has none.
    static func terms(of index: SearchIndex, on connection: Connection) throws -> Terms? {
        guard let bytes = try InfoStore.bytes(key(ofTable: index.table), on: connection) else { return nil }
        if let last = lastTerms.withLock({ $0 }), last.source == bytes, last.statement.isExactly(index.statement) { return last }
        let terms = Terms(bytes, index.statement, index.analyzer)
        lastTerms.withLock { $0 = terms }
        return terms
    }
}
