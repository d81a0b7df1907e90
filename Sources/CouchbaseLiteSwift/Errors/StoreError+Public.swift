import DocumentStore

extension StoreError: PublicErrorConvertible {
    var publicError: NSError {
        switch self {
        case .alreadyExists: .make(NSPOSIXErrorDomain, Int(EEXIST), description)
        case .system(_, let code): .make(NSPOSIXErrorDomain, Int(code), description)
        default: .couchbaseLite(code: publicCode, message: description)
        }
    }

    private var publicCode: Int {
        switch self {
        case .missing, .notFound, .alreadyExists: CBLError.notFound
        case .system: CBLError.ioError
        case .inTransaction: CBLError.transactionNotClosed
        case .notADirectory, .wrongFormat: CBLError.wrongFormat
        case .notADatabase, .encrypted, .wrongKey, .notEncrypted, .encryptedByOriginal, .unreadableEncryption:
            CBLError.unreadableDatabase
        case .tooOld: CBLError.databaseTooOld
        case .tooNew: CBLError.databaseTooNew
        case .cannotUpgrade: CBLError.cantUpgradeDatabase
        case .locked, .inUse: CBLError.busy
        case .readOnlyMedium, .notWritable, .moved: CBLError.notWriteable
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
