// Names of the developer previews and of earlier releases, which are kept beside the final ones (API 19).

@available(*, deprecated, renamed: "DatabaseConfiguration")
public typealias DatabaseOptions = DatabaseConfiguration

@available(*, deprecated, renamed: "MutableDictionaryObject")
public typealias Subdocument = MutableDictionaryObject

@available(*, deprecated, renamed: "QuerySortOrder")
public typealias SortOrder = QuerySortOrder

extension DatabaseConfiguration {
    /// Whether the database is opened read-only; it must then exist. Default: false.
    @available(*, deprecated, message: "There is no such option any more; do not write to the database")
    public var isReadOnly: Bool {
        get { opensForReadingOnly }
        set { opensForReadingOnly = newValue }
    }
}

extension ConcurrencyControl {
    @available(*, deprecated, renamed: "lastWriteWins")
    public static var none: ConcurrencyControl { .lastWriteWins }

    @available(*, deprecated, renamed: "failOnConflict")
    public static var optimistic: ConcurrencyControl { .failOnConflict }
}

extension LogDomain {
    @available(*, deprecated, message: "Use LogDomains.all")
    public static var all: LogDomains { .all }
}

/// Logs a line in which the first `%@` is replaced by the error. Needed because `NSLog` on Linux does not accept an error.
@available(*, deprecated, message: "Use print(_:), or NSLog with a string")
public func NSLog(_ format: String, _ error: NSError) {
    var text = format
    if let place = format.range(of: "%@") { text.replaceSubrange(place, with: error.description) }
    // The text must not be interpreted as a format again.
    Foundation.NSLog(text.replacingOccurrences(of: "%", with: "%%"))
}
