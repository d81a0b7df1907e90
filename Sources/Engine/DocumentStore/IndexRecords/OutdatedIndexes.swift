package import Base
import Foundation
import SQLiteEngine

/// The indexes that a query must not use before they are rebuilt, because they have no record that their content was computed for the
/// present order of texts and time zone, and changed only by programs that know both (Storage format 5.12).
package struct OutdatedIndexes: Hashable, Sendable {
    /// The names of SQL indexes.
    package private(set) var names: Set<ExactString> = []
    /// The tables on which these indexes are, of documents or of array elements.
    package private(set) var tables: Set<ExactString> = []
    /// The tables of full-text indexes.
    package private(set) var fullTextTables: Set<ExactString> = []

    package init() {}

    /// Whether all indexes can be used.
    package var isEmpty: Bool { names.isEmpty && fullTextTables.isEmpty }

    mutating func insert(_ group: DependentIndexes.Group) {
        for index in group.indexes {
            if let table = index.table {
                names.insert(ExactString(index.name))
                tables.insert(ExactString(table))
            } else {
                fullTextTables.insert(ExactString(index.name))
            }
        }
    }
}

/// Determines the outdated indexes of a reading connection, once for each of its snapshots.
struct OutdatedIndexCache {
    private var dependents: (indexes: DependentIndexes, schemaVersion: Int64)?
    private var known: (outdated: OutdatedIndexes, snapshot: UInt64, zone: TimeZone)?

    /// Returns whether no index of a version of the schema is known to depend on more than the documents.
    func hasNoDependents(in schemaVersion: Int64) -> Bool {
        guard let dependents else { return false }
        return dependents.schemaVersion == schemaVersion && dependents.indexes.groups.isEmpty
    }

    /// Returns the indexes that are outdated in the connection's snapshot. Takes two lookups by key for each collection with dependent
    /// indexes, and none if there are no such indexes.
    mutating func outdatedIndexes(
        _ knowledge: IndexDependencies,
        schemaVersion: Int64,
        _ zone: TimeZone,
        on connection: Connection
    ) throws -> OutdatedIndexes {
        let snapshot = connection.snapshotNumber
        let dependents = try self.dependents(knowledge, schemaVersion, on: connection)
        if dependents.groups.isEmpty { return OutdatedIndexes() }
        if let known, known.snapshot == snapshot, known.zone == zone || !dependents.useLocalTime { return known.outdated }
        var outdated = OutdatedIndexes()
        for group in dependents.groups {
            let record = try IndexRecord(of: group.store, on: connection)
            let sequence = try StoreCounts(of: group.store, on: connection).lastSequence
            if record.sequence != sequence || record.indexes != group.record(knowledge, zone) { outdated.insert(group) }
        }
        known = snapshot.map { (outdated, $0, zone) }
        return outdated
    }

    private mutating func dependents(_ knowledge: IndexDependencies, _ version: Int64, on connection: Connection) throws -> DependentIndexes
    {
        if let dependents, dependents.schemaVersion == version { return dependents.indexes }
        let found = try DependentIndexes(knowledge, on: connection)
        dependents = (found, version)
        known = nil
        return found
    }
}
