import ArgumentParser
import CouchbaseLiteSwift

/// The database of the app, opened for one command.
struct Notebook {
    let database: Database
    let notes: ModelCollection<Note>

    init(in directory: String) throws {
        let configuration = DatabaseConfiguration()
        configuration.directory = directory
        database = try Database(name: "notes", config: configuration)
        let collection = try database.createCollection(name: "notes")
        notes = collection.models(Note.self)
        // Does nothing if the index exists.
        try collection.createIndex(withName: "words", config: FullTextIndexConfiguration(["title", "text"]))
    }

    /// Returns the note with an ID, or with an ID that begins with `prefix`.
    func note(_ prefix: String) throws -> Note {
        if let note = try notes.get(prefix) { return note }
        let query = try database.query(
            "SELECT meta().id FROM notes WHERE meta().id BETWEEN \(prefix) AND \(prefix + "~") LIMIT 2"
        )
        let ids = try query.execute().compactMap { $0.string(at: 0) }
        guard let id = ids.first, let note = try notes.get(id) else { throw ValidationError("There is no note \"\(prefix)\".") }
        if ids.count > 1 { throw ValidationError("Several IDs begin with \"\(prefix)\".") }
        return note
    }

    /// Returns the notes that contain all words, the best match first.
    func search(_ words: String) throws -> [Note] {
        let query = try database.query(
            "SELECT meta().id FROM notes WHERE match(words, \(words)) ORDER BY rank(words) DESC"
        )
        return try query.execute().compactMap { row in try row.string(at: 0).flatMap { try notes.get($0) } }
    }

    /// The notes in the order of a list, which stay live: the newest change first.
    func live(tag: String?) -> LiveModels<Note> {
        let order = [SortDescriptor(\Note.changed, order: .reverse)]
        guard let tag else { return notes.query(orderBy: order).live() }
        return notes.query(where: #Predicate { $0.tags.contains(tag) }, orderBy: order).live()
    }

    /// Saves a note as changed now.
    @discardableResult
    func save(_ note: Note) throws -> Note {
        var note = note
        note.changed = Date()
        return try notes.save(note)
    }
}
