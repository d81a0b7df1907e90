import Foundation
import SQLiteEngine

/// The mark of a database that was restored from a backup and has not been opened for writing since (Storage format 2.1).
///
/// What the peers of the database have replicated after the backup is lost here, but they do not know that. So the first opening for writing
/// forgets their checkpoints, and they compare everything (Replication 6.5). It also notes a random number, so that positions in the history of the
/// database before the restore are not valid any more. A restore cannot do this itself, because it needs no key.
package enum RestorationMark {
    private static func path(_ bundle: BundlePath) -> String { bundle.directory + "/restored" }

    /// Marks a database that is being restored.
    ///
    /// - Throws: `CocoaError` if the file cannot be created.
    package static func set(_ bundle: BundlePath) throws { try Data().write(to: URL(fileURLWithPath: path(bundle))) }

    /// Forgets the checkpoints of peers, and removes the mark, if there is one.
    static func apply(_ bundle: BundlePath, _ connection: Connection) throws {
        let path = Self.path(bundle)
        guard access(path, F_OK) == 0 else { return }
        let table = StoreName.table(StoreName.peerCheckpoints)
        if try connection.contains("table", named: table) { try connection.execute("DELETE FROM \(table.quotedIdentifier)") }
        try InfoStore.set(InfoStore.restoration, to: InfoStore.makeUUID(), on: connection)
        unlink(path)
    }
}
