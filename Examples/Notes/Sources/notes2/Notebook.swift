import ArgumentParser
import CouchbaseLiteSwift

/// The database of the app, which version 1 may have created and may still use.
struct Notebook {
    let database: Database
    let notes: ModelCollection<Note>

    init(in directory: String) throws {
        let configuration = DatabaseConfiguration()
        configuration.directory = directory
        database = try Database(name: "notes", config: configuration)
        let collection = try database.createCollection(name: "notes")
        notes = collection.models(Note.self)
        try adoptUrgentNotes(of: collection)
    }

    /// Version 1 has no priorities: its users give urgent notes the tag "urgent".
    private func adoptUrgentNotes(of collection: Collection) throws {
        // The notes that are there, once.
        try database.migrate(to: 1) { step in
            try step.execute(
                "UPDATE notes SET priority = 'high' WHERE priority IS MISSING AND ARRAY_CONTAINS(tags, 'urgent')"
            )
        }
        // Those that arrive from devices with version 1.
        try collection.upgrade { note in
            guard !note.contains(key: "priority"), let tags = note.array(forKey: "tags")?.toArray() as? [String] else { return }
            if tags.contains("urgent") { note.setString("high", forKey: "priority") }
        }
    }

    /// Returns the note with an ID that begins with `prefix`.
    func note(_ prefix: String) throws -> Note {
        let query = try database.query(
            "SELECT meta().id FROM notes WHERE meta().id BETWEEN \(prefix) AND \(prefix + "~") LIMIT 2"
        )
        let ids = try query.execute().compactMap { $0.string(at: 0) }
        guard let id = ids.first, let note = try notes.get(id) else { throw ValidationError("There is no note \"\(prefix)\".") }
        if ids.count > 1 { throw ValidationError("Several IDs begin with \"\(prefix)\".") }
        return note
    }

    /// Returns the notes that are not done, or all, the newest change first. The condition finds notes of version 1 too.
    func list(all: Bool) throws -> [Note] {
        let order = [SortDescriptor(\Note.changed, order: .reverse)]
        return try all ? notes.query(orderBy: order).all() : notes.query(where: #Predicate { !$0.isDone }, orderBy: order).all()
    }
}
