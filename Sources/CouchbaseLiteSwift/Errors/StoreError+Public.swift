import DocumentStore

extension StoreError: PublicErrorConvertible {
    var publicError: NSError {
        switch self {
        case .alreadyExists: .make(NSPOSIXErrorDomain, Int(EEXIST), description)
        case .system(_, let code): .make(NSPOSIXErrorDomain, Int(code), description)
        default: .couchbaseLite(code: code, message: description)
        }
    }
}
