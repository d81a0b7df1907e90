import Base
import DocumentStore
import Fleece
import Replication
import TestSupport

/// A database of a world, with the app that edits it.
final class WorldNode {
    let number: Int
    let database: SimulatedDatabase
    private unowned let world: World
    private var editCount = 0
    /// Whether its process was killed and has not been restarted.
    private(set) var isDown = false
    /// The sessions in its process.
    private var runners: [SessionRunner] = []

    init(_ number: Int, _ world: World) throws {
        self.number = number
        self.world = world
        let versioning = world.options.usesVersions && !world.options.treeNodes.contains(number) ? Versioning.versionVectors : .automatic
        database = try SimulatedDatabase("n\(number)", in: world.simulation, versioning)
        if world.options.usesVersions { database.clockOffset = world.options.clockOffsets[number] }
        for id in world.options.collections { _ = try database.collection(id) }
        // Otherwise the names of checkpoints, and with them the lengths of compressed frames, would not depend only on the seed.
        let identity = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &world.simulation.random) }
        try database.file.transaction { writer in
            for key in ["privateUUID", "publicUUID"] { try RawStore.info.set(key, to: .init(body: identity), in: writer) }
        }
        observe()
    }

    /// Whether the database has version vectors.
    var usesVersions: Bool { (try? database.file.hasVersionVectors()) ?? false }

    // MARK: Killing and restarting

    func add(_ runner: SessionRunner) {
        runners.removeAll { $0.hasEnded }
        runners.append(runner)
    }

    /// Ends everything in the process if the database has been killed.
    func checkDeath() {
        guard database.isDead, !isDown else { return }
        isDown = true
        world.say("n\(number) dies")
        for runner in runners { runner.die() }
        runners.removeAll()
        for replicator in world.replicators where replicator.node === self { replicator.died() }
        world.simulation.after(world.simulation.random.milliseconds(10...5000)) { [self] in revive() }
    }

    private func revive() {
        world.attempt("opening n\(number) again") {
            try database.reopen()
            isDown = false
            world.say("n\(number) lives again")
            observe()
            try note(world.options.collections)
            for replicator in world.replicators where replicator.node === self { replicator.revived() }
        }
    }

    // MARK: Content

    private func observe() {
        _ = database.observe { [unowned self] changed in
            world.attempt("reading n\(number)") { try note(changed) }
        }
    }

    /// Records new current revisions in the event log.
    private func note(_ collections: some Sequence<CollectionID>) throws {
        for id in collections {
            let collection = try database.collection(id)
            for change in try collection.changes(after: noted[id, default: 0], limit: .max, remote: nil) {
                noted[id] = change.sequence
                let name = DocumentName(collection: id, id: change.documentID)
                let json = try json(of: name) ?? "gone"
                if !world.eventLog.note(change, absolute(change.revision), of: name, json, at: number) {
                    world.fail("\(name) \(change.revision) has another body on n\(number): \(json)")
                }
            }
        }
    }

    private var noted: [CollectionID: UInt64] = [:]

    /// Returns the ID of a revision of this database as others know it.
    func absolute(_ revision: RevisionID) -> RevisionID {
        (try? database.file.versionSource()).flatMap { $0 }.map(revision.absolute) ?? revision
    }

    /// Returns the current revision of a document as JSON, also if it is a tombstone.
    func json(of name: DocumentName) throws -> String? {
        guard let record = try database.collection(name.collection).document(name.id, includingDeleted: true) else { return nil }
        return try record.body.withRoot { try JSON.string($0, sharedKeys: record.sharedKeys, form: .canonical) }
    }

    func content(of name: DocumentName) throws -> DocumentContent? {
        try database.collection(name.collection).document(name.id).map { try DocumentContent($0.body, $0.sharedKeys) }
    }

    // MARK: Editing

    /// Makes a random edit.
    func edit() {
        guard !isDown, !database.isDead else { return }
        let options = world.options
        let name = DocumentName(
            collection: world.simulation.random.pick(options.collections),
            id: world.simulation.random.pick(options.documentIDs)
        )
        world.attempt("editing \(name) on n\(number)") {
            let choice = Int.random(in: 0..<100, using: &world.simulation.random)
            if choice < options.deletes {
                world.eventLog.deleted.insert(name)
                let outcome = try database.delete(name.id, in: name.collection)
                world.say("n\(number) deletes \(name): \(outcome)")
            } else if choice < options.deletes + options.purges {
                let collection = try database.collection(name.collection)
                if try database.file.transaction({ try collection.purge(name.id, in: $0) }) {
                    world.eventLog.purged[name, default: []].insert(number)
                    world.say("n\(number) purges \(name)")
                }
            } else if world.simulation.random.chance(options.bursts) {
                for index in 0..<Int.random(in: 20..<250, using: &world.simulation.random) {
                    try save(DocumentName(collection: name.collection, id: "burst\(index)"))
                }
            } else {
                try save(name)
            }
        }
    }

    private func save(_ name: DocumentName) throws {
        editCount += 1
        var content = try content(of: name) ?? DocumentContent()
        // Pairs of marks differ only in the Unicode normalization of one letter.
        let mark = ExactString("n\(number)m\(editCount / 2)\(editCount % 2 == 0 ? "\u{E9}" : "e\u{301}")")
        content.marks.insert(mark)
        content.text = text(content.text)
        if world.simulation.random.chance(world.options.blobs) {
            let blob = Int.random(in: 0..<6, using: &world.simulation.random)
            // The name is also a value: see `DocumentContent`.
            let name = "b\(blob % 3)"
            content.blobs[ExactString(name)] = try database.blob(Self.blobs[blob], type: "text/\(name)")
        }
        world.eventLog.marks[name, default: []].insert(mark)
        let outcome = try database.save(name.id, content.json, in: name.collection)
        world.say("n\(number) saves \(name) with \(mark): \(outcome)")
    }

    /// The contents of blobs; one is large.
    static let blobs = (0..<6).map { number in
        let size = number == 5 ? 150_000 : number * 700
        return (0..<size).map { UInt8(truncatingIfNeeded: $0 &* $0 &* (number + 3) >> 3) }
    }

    private static let letters = Array("abcdefghij klmno".utf8)

    private func text(_ old: String) -> String {
        let size = world.options.textSize
        var letters = Array(old.utf8)
        if letters.count >= size / 2, world.simulation.random.chance(80) {
            letters[Int.random(in: letters.indices, using: &world.simulation.random)] = UInt8(ascii: "*")
        } else {
            letters.removeAll(keepingCapacity: true)
            while letters.count < size {
                // Four bits for each letter.
                var bits = world.simulation.random.next()
                for _ in 0..<min(16, size - letters.count) {
                    letters.append(Self.letters[Int(bits & 15)])
                    bits >>= 4
                }
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }
}
