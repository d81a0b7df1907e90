extension StoreError {
    /// The error code in the domain `CouchbaseLite` and, between replicating peers, in the domain `LiteCore` (API 14, Replication 3.14).
    package var code: Int {
        switch self {
        case .missing, .notFound, .alreadyExists: 7
        case .system: 12
        case .inTransaction: 18
        case .notADirectory, .wrongFormat: 21
        case .notADatabase, .encrypted, .wrongKey, .notEncrypted, .encryptedByOriginal, .unreadableEncryption: 20
        case .tooOld: 27
        case .tooNew: 28
        case .cannotUpgrade: 30
        case .locked, .inUse, .batchOfAnother: 16
        case .readOnlyMedium, .notWritable, .moved: 14
        case .notOpen: 6
        case .transactionAborted: 17
        case .conflict: 8
        case .invalidDocumentID: 29
        case .invalidCollectionName, .cannotDeleteDefaultCollection, .reservedKey: 9
        case .corruptDocument: 5
        case .corrupt: 15
        }
    }
}
