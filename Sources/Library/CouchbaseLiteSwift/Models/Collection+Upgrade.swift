import Base
import DatabaseRuntime
import DocumentStore
import ModelCoding

extension Collection {
    /// Changes documents that earlier versions of the app have stored, as they arrive by replication.
    ///
    /// ```swift
    /// try notes.upgrade { note in
    ///     guard let minutes = note.string(forKey: "minutes") else { return }
    ///     note.setInt(Int(minutes) ?? 0, forKey: "minutes")
    /// }
    /// ```
    ///
    /// A document is changed in the transaction that stores it, so that queries, live results and listeners never show it in the old form. The
    /// change is a new revision, which is replicated. Documents come from replicators, from other devices that replicate with a listener or a
    /// message endpoint of this database, and from conflicts that were resolved; not from saves of this app, and not from other processes. A
    /// document in conflict is changed when the conflict has been resolved.
    ///
    /// Documents that were stored before are not changed: see ``Database/migrate(to:_:)``. Call this function before replicators are started.
    /// It lasts until the token is used or the database is closed. Several changes of a collection are made in the order of their calls.
    ///
    /// - Parameter change: Receives a document and changes it. A document that it leaves equal is not saved. It is called on a thread of the
    ///   replicator, while other writers wait, so it must return soon, and must not wait for another thread that writes. If it throws, the
    ///   document remains as it arrived, with a warning in the log, and the replication goes on.
    /// - Returns: A token that ends this.
    /// - Throws: ``CBLError/notOpen`` if the database is closed or the collection was deleted.
    @discardableResult
    public func upgrade(_ change: @escaping @Sendable (MutableDocument) throws -> Void) throws -> ListenerToken {
        try onArrival(DocumentUpgrade(change: change))
    }

    /// Replaces documents that earlier versions of the app have stored by models, as they arrive by replication; see ``upgrade(_:)``.
    ///
    /// ```swift
    /// try notes.upgrade(Note.self) { old in
    ///     guard let heading = old.string(forKey: "heading") else { return nil }
    ///     return Note(title: heading, minutes: old.string(forKey: "minutes").flatMap(Int.init) ?? 0)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the new form. Properties of the document that it does not have are kept.
    ///   - change: Receives a document, and returns its new form; `nil` if it is not to be changed. The ID of the new form is `nil`, or that of
    ///     the document. A new form that is equal to the document is not saved.
    /// - Returns: A token that ends this.
    /// - Throws: ``CBLError/notOpen`` if the database is closed or the collection was deleted.
    @discardableResult
    public func upgrade<Model: Codable>(
        _ type: Model.Type,
        _ change: @escaping @Sendable (Document) throws -> Model?
    ) throws -> ListenerToken {
        try onArrival(ModelUpgrade(change: change))
    }

    private func onArrival(_ upgrade: any Upgrade) throws -> ListenerToken {
        let store = store
        let arrivals = try throwingPublicErrors { try withOpenFile { $0.arrivals } }
        // The database must not be retained by its own file.
        let token = arrivals.add(to: store.id) { [weak database] ids in
            guard let database, (try? database.openFile()) != nil, store.exists else { return }
            let collection = Collection(store, database: database)
            for id in ids {
                do {
                    if let record = try collection.record(id) { try upgrade.run(on: record, in: collection) }
                } catch {
                    let reason = LibraryError.shown(error).localizedDescription
                    EngineLog.log(.warning, .database, "the document \"\(id)\" is not upgraded and remains as it arrived: \(reason)")
                }
            }
        }
        return ListenerToken { arrivals.remove(token) }
    }
}

/// What is done with a document that arrives.
private protocol Upgrade: Sendable {
    func run(on record: DocumentRecord, in collection: Collection) throws
}

private struct DocumentUpgrade: Upgrade {
    let change: @Sendable (MutableDocument) throws -> Void

    func run(on record: DocumentRecord, in collection: Collection) throws {
        let stored = Document(record, collection: collection)
        let document = stored.toMutable()
        try change(document)
        if document != stored { try collection.save(document: document) }
    }
}

/// A type, because a closure that is sent to another thread cannot capture the type of the models.
private struct ModelUpgrade<Model: Codable>: Upgrade {
    let change: @Sendable (Document) throws -> Model?

    func run(on record: DocumentRecord, in collection: Collection) throws {
        guard let model = try change(Document(record, collection: collection)) else { return }
        try collection.models(Model.self).replace(record, by: model)
    }
}

extension ModelCollection where Model: Encodable {
    /// Saves a model as the new form of a stored document, unless that is equal.
    fileprivate func replace(_ record: DocumentRecord, by model: Model) throws {
        let modelID = try ModelID(of: model, .ofAPI)
        if let other = modelID.string, !other.isExactly(record.id) {
            throw LibraryError(LibraryError.Code.invalidParameter, "the new form has the ID \"\(other)\" of another document")
        }
        let isUnchanged = try collection.withOpenFile { file in
            let save = ModelSave(.ofAPI, SavedBlobs(in: file, of: collection.database), collection.store, file)
            return try save.isUnchanged(model, of: record, shape)
        }
        var model = model
        if !isUnchanged { _ = try store(&model, modelID, as: record.id, base: .latest, setsRevision: false) }
    }
}
