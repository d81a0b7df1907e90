import DocumentStore

extension StoreError: PublicErrorConvertible {
    var publicError: NSError {
        if case .alreadyExists = self { return .make(NSPOSIXErrorDomain, Int(EEXIST), description) }
        return .couchbaseLite(code: publicCode, message: description)
    }

    private var publicCode: Int {
        switch self {
        case .missing, .notFound, .alreadyExists: CBLError.notFound
        case .notADirectory, .wrongFormat: CBLError.wrongFormat
        case .notADatabase, .encrypted: CBLError.unreadableDatabase
        case .tooOld: CBLError.databaseTooOld
        case .tooNew: CBLError.databaseTooNew
        case .cannotUpgrade: CBLError.cantUpgradeDatabase
        case .locked, .inUse: CBLError.busy
        case .readOnlyMedium, .notWritable: CBLError.notWriteable
        case .notOpen: CBLError.notOpen
        case .transactionAborted: CBLError.notInTransaction
        case .conflict: CBLError.conflict
        case .invalidDocumentID: CBLError.badDocID
        case .invalidCollectionName, .cannotDeleteDefaultCollection, .reservedKey: CBLError.invalidParameter
        case .corruptDocument: CBLError.corruptRevisionData
        case .corrupt: CBLError.corruptData
        }
    }
}
