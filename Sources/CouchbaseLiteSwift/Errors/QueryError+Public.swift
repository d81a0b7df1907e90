import QueryEngine

extension QueryError: PublicErrorConvertible {
    var publicError: NSError {
        .couchbaseLite(code: kind.rawValue, message: message)
    }
}
