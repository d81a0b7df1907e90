import Base
import LogOutput

// The database functions of the developer previews, which use the default collection.

@available(*, deprecated, message: "Use Database(name:config:)")
extension Database {
    public convenience init(name: String, options: DatabaseConfiguration) throws { try self.init(name: name, config: options) }
}

@available(*, deprecated, message: "Use MutableDocument(), and the functions of Collection")
extension Database {
    /// Returns a new, empty document with a generated ID. ``MutableDocument/save()`` saves it in this database.
    public func document() -> MutableDocument {
        let document = MutableDocument()
        document.withDeprecatedState { $0.database = self }
        return document
    }

    /// Saves a document. If it was changed concurrently, the conflict resolver of the document or the database decides; without a resolver
    /// the concurrent change is overwritten.
    ///
    /// - Throws: `conflict` if the resolver returned `nil`; otherwise as ``Collection/save(document:conflictHandler:)``.
    public func save(_ document: MutableDocument) throws { try defaultCollection().save(document, fallback: nil) }
    public func save(document: MutableDocument) throws { try save(document) }

    @discardableResult
    public func save(document: MutableDocument, concurrencyControl: ConcurrencyControl) throws -> Bool {
        try saveDocument(document, concurrencyControl: concurrencyControl)
    }

    public func delete(_ document: Document) throws { try deleteDocument(document) }
    public func delete(document: Document) throws { try deleteDocument(document) }

    @discardableResult
    public func delete(document: Document, concurrencyControl: ConcurrencyControl) throws -> Bool {
        try deleteDocument(document, concurrencyControl: concurrencyControl)
    }
}

extension Database {
    @available(*, deprecated, message: "Use performMaintenance(type: .compact)")
    public func compact() throws { try performMaintenance(type: .compact) }

    /// Sets the minimum level of the messages about `domain` that are written to the console.
    @available(*, deprecated, message: "Use LogSinks.console")
    public static func setLogLevel(_ level: LogLevel, domain: LogDomains) {
        LogRouter.shared.configure(.loggers) { setup in
            for each in EventDomain.allCases where domain.contains(each) { setup.console.setLevel(level.event, of: each) }
        }
    }
}
