// Names of the developer previews that live on beside the final ones (API 19).

/// The preview's name of ``DatabaseConfiguration``.
@available(*, deprecated, renamed: "DatabaseConfiguration")
public typealias DatabaseOptions = DatabaseConfiguration

/// The preview's name of ``MutableDictionaryObject``.
@available(*, deprecated, renamed: "MutableDictionaryObject")
public typealias Subdocument = MutableDictionaryObject

extension DatabaseConfiguration {
    /// Whether the database is opened for reading only; it must exist then. At first false.
    @available(*, deprecated, message: "Do not write; there is no such option any more")
    public var isReadOnly: Bool {
        get { opensForReadingOnly }
        set { opensForReadingOnly = newValue }
    }
}

extension ConcurrencyControl {
    /// The preview's name of ``lastWriteWins``.
    @available(*, deprecated, renamed: "lastWriteWins")
    public static var none: ConcurrencyControl { .lastWriteWins }

    /// The preview's name of ``failOnConflict``.
    @available(*, deprecated, renamed: "failOnConflict")
    public static var optimistic: ConcurrencyControl { .failOnConflict }
}

extension LogDomain {
    /// All domains.
    @available(*, deprecated, message: "Use LogDomains.all")
    public static var all: LogDomains { .all }
}

/// Writes a line with an error in place of the first `%@`: Linux' own `NSLog` takes no error.
@available(*, deprecated, message: "Use print(_:), or NSLog with a string")
public func NSLog(_ format: String, _ error: NSError) {
    var text = format
    if let place = format.range(of: "%@") { text.replaceSubrange(place, with: error.description) }
    // What is written must not be taken for a format once more.
    Foundation.NSLog(text.replacingOccurrences(of: "%", with: "%%"))
}
