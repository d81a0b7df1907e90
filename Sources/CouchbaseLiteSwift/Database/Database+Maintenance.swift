import DocumentStore
import QueryEngine

extension Database {
    /// Performs maintenance of the given kind. Blocks until it is done; for all kinds but ``MaintenanceType/integrityCheck``, writers wait
    /// as well.
    ///
    /// - Throws: ``CBLError/corruptData`` if an integrity check finds damage; the description is that of the first finding.
    ///   ``CBLError/transactionNotClosed`` inside a batch, except for an integrity check; ``CBLError/notOpen`` if the database is closed;
    ///   ``CBLError/busy`` and ``CBLError/notWriteable`` as for ``Collection/save(document:)``.
    public func performMaintenance(type: MaintenanceType) throws {
        try throwingPublicErrors {
            try withFile { file in
                switch type {
                case .compact: try file.compact()
                case .reindex:
                    // Checked first: what the first step did would be committed with the batch after the second one has failed.
                    if file.isInTransaction { throw StoreError.inTransaction(path: file.bundle.directory) }
                    try IndexRegistry(file).rebuild()
                    try file.reindex()
                case .integrityCheck: try file.checkIntegrity()
                case .optimize: try file.optimize(completely: false)
                case .fullOptimize: try file.optimize(completely: true)
                }
            }
        }
    }
}
