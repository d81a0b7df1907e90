import DocumentStore
import QueryEngine

extension Database {
    /// Does maintenance work; see ``MaintenanceType``.
    ///
    /// - Throws: `corruptData` when an integrity check finds something, with the first finding as description.
    public func performMaintenance(type: MaintenanceType) throws {
        try throwingPublicErrors {
            try withFile { file in
                switch type {
                case .compact: try file.compact()
                case .reindex:
                    try IndexRegistry(file).rebuild()
                    try file.reindex()
                case .integrityCheck: try file.checkIntegrity()
                case .optimize: try file.optimize(completely: false)
                case .fullOptimize: try file.optimize(completely: true)
                }
            }
        }
    }

    /// The spelling of releases before 2.8.
    @available(*, deprecated, message: "Use performMaintenance(type: .compact)")
    public func compact() throws {
        try performMaintenance(type: .compact)
    }
}
