import DocumentStore

extension StoreError: PublicErrorConvertible {
    var publicError: NSError {
        switch self {
        case .alreadyExists: .make(NSPOSIXErrorDomain, Int(EEXIST), description)
        case .system(_, let code): .make(NSPOSIXErrorDomain, Int(code), description)
        case .notOpen:
            // The same message as Couchbase Lite (API 2).
            .make(
                CBLError.domain,
                code,
                "Attempt to perform an operation on a closed database or a deleted collection.",
                reason: description
            )
        default: .couchbaseLite(code: code, message: description)
        }
    }
}
