import Base
import Foundation
import SQLiteEngine

/// Keeps those indexes current whose content depends on more than the documents, and their records in the file (Storage format 5.12).
///
/// At the start of each transaction, indexes are rebuilt whose record differs from the present state, or is missing. If the file has no such
/// indexes, this is one comparison. Used by the thread that holds the write lock.
final class IndexRenewal {
    /// The indexes in the schema; `nil` if they must be read.
    private var dependents: DependentIndexes?
    private var schemaVersion: Int64?
    /// Whether another program may have changed indexes or records since the last check.
    private var mustCheck = true
    /// Whether the open transaction has created, deleted or rebuilt indexes, so that the records are written anew.
    private var mustRecord = false
    /// The recorded sequences, by store.
    private var sequences: [ExactString: UInt64] = [:]
    /// The records that collections would have whose indexes cannot be rebuilt, by store. This is not tried again.
    private var failed: [ExactString: [UInt8]] = [:]
    /// The indexes that could not be rebuilt.
    private(set) var outdated = OutdatedIndexes()
    private var messages: [(level: EventLevel, message: String)] = []
    /// Whether transactions begin without a check, and keep their messages, because the database is being opened.
    var isSuspended = false

    // MARK: Events

    /// Must be called if another program has changed the file.
    func noteForeignChange() { mustCheck = true }

    /// Must be called if the transaction is rolled back.
    func noteRollback() {
        dependents = nil
        mustCheck = true
        mustRecord = false
        sequences = [:]
        messages = []
    }

    /// Must be called before the commit if the transaction creates, deletes or rebuilds indexes.
    func noteIndexChange() { mustRecord = true }

    /// Returns and removes what is to be logged when no lock is held.
    func drainMessages() -> [(level: EventLevel, message: String)] {
        defer { messages = [] }
        return messages
    }

    func log(_ level: EventLevel, _ message: String) { messages.append((level, message)) }

    // MARK: Rebuilding

    /// Returns whether the next transaction will rebuild indexes. Reads, but does not write.
    func isOutdated(_ context: ConnectionContext, _ knowledge: IndexDependencies) throws -> Bool {
        context.adoptLocalZone()
        return try readDependents(knowledge, context).groups.contains { try !isCurrent($0, knowledge, context) }
    }

    /// Rebuilds outdated indexes. Must be called at the start of each transaction, before anything else reads or changes documents.
    func begin(_ writer: Writer, _ knowledge: IndexDependencies) throws {
        let zoneHasChanged = writer.context.adoptLocalZone()
        if isSuspended { return }
        guard mustCheck || zoneHasChanged && dependents?.useLocalTime ?? true else { return }
        try renew(writer, knowledge)
    }

    /// Rebuilds outdated indexes in the open transaction.
    func renew(_ writer: Writer, _ knowledge: IndexDependencies) throws {
        let dependents = try readDependents(knowledge, writer.context)
        outdated = OutdatedIndexes()
        for group in dependents.groups where try !isCurrent(group, knowledge, writer.context) {
            let record = group.record(knowledge, writer.context.localZone)
            let isRebuilt = failed[ExactString(group.store)] != record ? try rebuild(group, record, writer, knowledge) : false
            if !isRebuilt { outdated.insert(group) }
        }
        mustCheck = false
    }

    private func readDependents(_ knowledge: IndexDependencies, _ context: ConnectionContext) throws -> DependentIndexes {
        let version = try context.connection.scalar("PRAGMA schema_version") ?? 0
        if let dependents, schemaVersion == version { return dependents }
        let found = try DependentIndexes(knowledge, on: context.connection)
        (dependents, schemaVersion) = (found, version)
        return found
    }

    /// Returns whether the record states that the indexes are current, and nobody who does not know the record has changed documents since.
    private func isCurrent(_ group: DependentIndexes.Group, _ knowledge: IndexDependencies, _ context: ConnectionContext) throws -> Bool {
        let record = try IndexRecord(of: group.store, on: context.connection)
        let sequence = try StoreCounts(of: group.store, on: context.connection).lastSequence
        guard record.sequence == sequence, record.indexes == group.record(knowledge, context.localZone) else { return false }
        sequences[ExactString(group.store)] = sequence
        return true
    }

    /// Rebuilds the indexes of a collection, and records that they are current. If one cannot be rebuilt, because it contains something that
    /// this library does not support, or a page of the collection is damaged, nothing is changed.
    private func rebuild(
        _ group: DependentIndexes.Group,
        _ record: [UInt8],
        _ writer: Writer,
        _ knowledge: IndexDependencies
    ) throws -> Bool {
        guard let file = writer.context.file, let id = CollectionID(storeName: group.store), let collection = try file.collection(id) else {
            return false
        }
        let connection = writer.connection
        do {
            try connection.savepoint("renewing") {
                for index in group.indexes {
                    if index.table != nil {
                        try connection.execute("REINDEX \(index.name.quotedIdentifier)")
                    } else {
                        try knowledge.rebuildFullTextIndex(index.name, collection, writer.context)
                    }
                }
            }
        } catch let error where Self.concernsIndex(error) {
            failed[ExactString(group.store)] = record
            let reason = (error as? SQLiteError)?.message ?? "\(error)"
            log(
                .warning,
                "could not rebuild the indexes of collection \(id.fullName) that depend on a language or the time zone: \(reason)"
            )
            return false
        }
        try write(record, of: group.store, writer)
        let names = group.indexes.map { "\"\($0.name)\"" }.joined(separator: ", ")
        log(
            .info,
            """
            rebuilt indexes of collection \(id.fullName) of the database at \(file.bundle.directory): \(names). They depend on the order of \
            texts or the local time zone, and were made for another one, by another release, or changed by another program
            """
        )
        return true
    }

    /// Whether an error is no reason to refuse the transaction, which need not read the whole collection.
    private static func concernsIndex(_ error: any Error) -> Bool {
        guard let error = error as? SQLiteError else { return true }
        return error.extendedCode == 1 || error.isCorrupt
    }

    // MARK: Records

    private func write(_ record: [UInt8], of store: String, _ writer: Writer) throws {
        try IndexRecord.write(record, of: store, on: writer.connection)
        let sequence = try StoreCounts(of: store, on: writer.connection).lastSequence
        try IndexRecord.write(sequence, of: store, on: writer.connection)
        sequences[ExactString(store)] = sequence
        failed[ExactString(store)] = nil
    }

    /// Records that a collection with dependent indexes has a new last sequence. Must be called before the commit. Fast if there are none.
    @inline(__always)
    func noteSequence(_ sequence: UInt64, of store: String, _ writer: Writer) throws {
        if !sequences.isEmpty { try write(sequence, of: ExactString(store), writer) }
    }

    private func write(_ sequence: UInt64, of store: ExactString, _ writer: Writer) throws {
        guard let recorded = sequences[store], recorded != sequence else { return }
        try IndexRecord.write(sequence, of: store.string, on: writer.connection)
        sequences[store] = sequence
    }

    /// Writes all records if indexes have changed. Must be called before the commit, after the counters have been stored.
    func finish(_ writer: Writer, _ knowledge: IndexDependencies) throws {
        guard mustRecord else { return }
        let dependents = try readDependents(knowledge, writer.context)
        for store in try IndexRecord.stores(on: writer.connection) where !dependents.hasGroup(of: store) {
            try IndexRecord.remove(of: store, on: writer.connection)
            sequences[ExactString(store)] = nil
        }
        for group in dependents.groups where failed[ExactString(group.store)] == nil {
            try write(group.record(knowledge, writer.context.localZone), of: group.store, writer)
        }
        mustRecord = false
    }

    /// Must be called if all indexes have been rebuilt, also those whose rebuild has failed before.
    func noteRebuild() {
        failed = [:]
        outdated = OutdatedIndexes()
        mustRecord = true
    }
}
