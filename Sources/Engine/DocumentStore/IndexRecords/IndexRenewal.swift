import Base
import Foundation
import SQLiteEngine

/// Keeps those indexes current whose content depends on more than the documents, and their records in the file (Storage format 5.12).
///
/// At the start of each transaction, indexes are rebuilt whose record differs from the present state, or is missing. If the file has no such
/// indexes, this is one comparison. Used by the thread that holds the write lock.
final class IndexRenewal {
    /// What decides in a transaction whether indexes are current, and rebuilds them.
    struct Conditions {
        let knowledge: IndexDependencies
        let zone: TimeZone
        let connection: Connection
        /// The path of the database, for messages.
        let path: String
        /// Rebuilds indexes. Returns `false` if their collection does not exist.
        let rebuild: (DependentIndexes.Group) throws -> Bool
    }

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
    func isOutdated(_ conditions: Conditions) throws -> Bool {
        try readDependents(conditions).groups.contains { try !isCurrent($0, conditions) }
    }

    /// Rebuilds outdated indexes. Must be called at the start of each transaction, before anything else reads or changes documents.
    func begin(zoneHasChanged: Bool, _ conditions: @autoclosure () -> Conditions) throws {
        if isSuspended { return }
        guard mustCheck || zoneHasChanged && dependents?.useLocalTime ?? true else { return }
        try renew(conditions())
    }

    /// Rebuilds outdated indexes in the open transaction.
    func renew(_ conditions: Conditions) throws {
        let dependents = try readDependents(conditions)
        outdated = OutdatedIndexes()
        for group in dependents.groups where try !isCurrent(group, conditions) {
            let record = group.record(conditions.knowledge, conditions.zone)
            let isRebuilt = failed[ExactString(group.store)] != record ? try rebuild(group, record, conditions) : false
            if !isRebuilt { outdated.insert(group) }
        }
        mustCheck = false
    }

    private func readDependents(_ conditions: Conditions) throws -> DependentIndexes {
        let version = try conditions.connection.scalar("PRAGMA schema_version") ?? 0
        if let dependents, schemaVersion == version { return dependents }
        let found = try DependentIndexes(conditions.knowledge, on: conditions.connection)
        (dependents, schemaVersion) = (found, version)
        return found
    }

    /// Returns whether the record states that the indexes are current, and nobody who does not know the record has changed documents since.
    private func isCurrent(_ group: DependentIndexes.Group, _ conditions: Conditions) throws -> Bool {
        let record = try IndexRecord(of: group.store, on: conditions.connection)
        let sequence = try StoreCounts(of: group.store, on: conditions.connection).lastSequence
        guard record.sequence == sequence, record.indexes == group.record(conditions.knowledge, conditions.zone) else { return false }
        sequences[ExactString(group.store)] = sequence
        return true
    }

    /// Rebuilds the indexes of a collection, and records that they are current. If one cannot be rebuilt, because it contains something that
    /// this library does not support, or a page of the collection is damaged, nothing is changed.
    private func rebuild(_ group: DependentIndexes.Group, _ record: [UInt8], _ conditions: Conditions) throws -> Bool {
        guard let id = CollectionID(storeName: group.store) else { return false }
        do {
            guard try conditions.connection.savepoint("renewing", { try conditions.rebuild(group) }) else { return false }
        } catch let error where Self.concernsIndex(error) {
            failed[ExactString(group.store)] = record
            let reason = (error as? SQLiteError)?.message ?? "\(error)"
            log(
                .warning,
                "could not rebuild the indexes of collection \(id.fullName) that depend on a language or the time zone: \(reason)"
            )
            return false
        }
        try write(record, of: group.store, on: conditions.connection)
        let names = group.indexes.map { "\"\($0.name)\"" }.joined(separator: ", ")
        log(
            .info,
            """
            rebuilt indexes of collection \(id.fullName) of the database at \(conditions.path): \(names). They depend on the order of \
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

    private func write(_ record: [UInt8], of store: String, on connection: Connection) throws {
        try IndexRecord.write(record, of: store, on: connection)
        let sequence = try StoreCounts(of: store, on: connection).lastSequence
        try IndexRecord.write(sequence, of: store, on: connection)
        sequences[ExactString(store)] = sequence
        failed[ExactString(store)] = nil
    }

    /// Records that a collection with dependent indexes has a new last sequence. Must be called before the commit. Fast if there are none.
    @inline(__always)
    func noteSequence(_ sequence: UInt64, of store: String, on connection: Connection) throws {
        if !sequences.isEmpty { try write(sequence, of: ExactString(store), on: connection) }
    }

    private func write(_ sequence: UInt64, of store: ExactString, on connection: Connection) throws {
        guard let recorded = sequences[store], recorded != sequence else { return }
        try IndexRecord.write(sequence, of: store.string, on: connection)
        sequences[store] = sequence
    }

    /// Writes all records if indexes have changed. Must be called before the commit, after the counters have been stored.
    func finish(_ conditions: @autoclosure () -> Conditions) throws {
        guard mustRecord else { return }
        let current = conditions()
        let dependents = try readDependents(current)
        for store in try IndexRecord.stores(on: current.connection) where !dependents.hasGroup(of: store) {
            try IndexRecord.remove(of: store, on: current.connection)
            sequences[ExactString(store)] = nil
        }
        for group in dependents.groups where failed[ExactString(group.store)] == nil {
            try write(group.record(current.knowledge, current.zone), of: group.store, on: current.connection)
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
