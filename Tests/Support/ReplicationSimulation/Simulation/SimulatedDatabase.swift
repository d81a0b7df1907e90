package import DocumentStore
import Fleece
import Foundation
package import Replication
import Synchronization
import TestSupport

/// A real database in a simulation: it can be edited, inspected, and killed during a commit.
package final class SimulatedDatabase {
    package let name: String
    package private(set) var file: DatabaseFile
    package private(set) var replica: ReplicaDatabase
    private let directory: TemporaryDirectory
    private let simulation: Simulation
    private let options: DatabaseFile.Options
    private let clock = SettableClock()
    private let news = Box(Set<CollectionID>())
    private let death = Box(Death())
    private var token: ChangeFeed.Token?
    /// The collections used so far, cached because a lookup in the schema takes as long as a small transaction.
    private var collections: [CollectionID: CollectionStore] = [:]
    /// The observers of commits, by number.
    private var observers: [Int: (Set<CollectionID>) -> Void] = [:]
    private var observerCount = 0
    /// The error of its clock, in seconds.
    package var clockOffset: Int64 = 0 {
        didSet { setClock() }
    }
    /// The time from a commit until its observers are called.
    package var notificationDelay: Duration = .milliseconds(1)

    /// The commit at which the process is to be killed, and whether it has been killed.
    private struct Death {
        var commitsLeft: Int?
        var moment: ReplicaDatabase.CommitPhase = .before
        var hasArrived = false
    }

    /// Thrown by the commit in which the database is killed, and by later ones.
    package struct Killed: Error {}

    /// - Parameter versioning: How the revisions of the new database are named.
    package init(_ name: String, in simulation: Simulation, _ versioning: Versioning = .automatic) throws {
        self.name = name
        self.simulation = simulation
        var options = DatabaseFile.Options()
        options.versioning = versioning
        options.clock = clock
        self.options = options
        directory = try TemporaryDirectory(inMemory: true)
        file = try DatabaseRegistry.open(directory.path("\(name).cblite2"), options: options)
        replica = ReplicaDatabase(file)
        open()
        simulation.afterEachStep { [weak self] in
            self?.setClock()
            self?.notifyObservers()
        }
    }

    deinit {
        try? DatabaseRegistry.close(file)
    }

    private func setClock() {
        let time = simulation.now.components
        clock.set(1_700_000_000_000 + (time.seconds + clockOffset) * 1000 + time.attoseconds / 1_000_000_000_000_000)
    }

    private func open() {
        let news = news
        let death = death
        replica = ReplicaDatabase(file) { moment in
            try death.withLock { death in
                if death.hasArrived { throw Killed() }
                guard let left = death.commitsLeft, moment == death.moment else { return }
                death.commitsLeft = left - 1
                if left <= 1 {
                    death.hasArrived = true
                    throw Killed()
                }
            }
        }
        token = file.changes.addObserver { changes in
            news.withLock { $0.formUnion(changes.documents.keys) }
        }
    }

    /// The path of the database directory.
    package var bundle: String { file.bundle.directory }

    // MARK: Killing and reopening

    /// Whether the database was killed and has not been opened again.
    package var isDead: Bool { death.withLock { $0.hasArrived } }

    /// Kills the process of the database at the `count`th commit of replication from now on.
    package func kill(atCommit count: Int, _ moment: ReplicaDatabase.CommitPhase) {
        death.withLock { $0 = Death(commitsLeft: count, moment: moment) }
    }

    /// Cancels a kill that has not happened.
    package func spare() {
        death.withLock { $0.commitsLeft = nil }
    }

    /// Closes the database and opens it again. It must not be in use.
    ///
    /// - Parameter change: Called in between with the path of the database directory.
    package func reopen(after change: (String) throws -> Void = { _ in }) throws {
        if let token { file.changes.removeObserver(token) }
        observers.removeAll()
        collections.removeAll()
        let path = file.bundle.directory
        try DatabaseRegistry.close(file)
        try change(path)
        file = try DatabaseRegistry.open(path, options: options)
        death.withLock { $0 = Death() }
        news.withLock { $0 = [] }
        open()
    }

    /// Copies the files of the database, as a backup does. The database must not be in use.
    package func takeSnapshot() throws {
        try reopen { path in
            let snapshot = directory.path("snapshot")
            try? FileManager.default.removeItem(atPath: snapshot)
            try FileManager.default.copyItem(atPath: path, toPath: snapshot)
        }
    }

    /// Whether ``takeSnapshot()`` was called.
    package var hasSnapshot: Bool { FileManager.default.fileExists(atPath: directory.path("snapshot")) }

    /// Replaces the database by its last snapshot. The database must not be in use.
    ///
    /// - Parameter isMarked: Whether the database is marked as restored; see ``RestorationMark``.
    package func restoreSnapshot(isMarked: Bool) throws {
        try reopen { path in
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: directory.path("snapshot"), toPath: path)
            if isMarked { try RestorationMark.set(BundlePath(path)) }
        }
    }

    /// Deletes a collection and creates it again.
    package func recreate(_ id: CollectionID) throws {
        try file.deleteCollection(id)
        _ = try collection(id)
    }

    // MARK: Observing

    /// Adds an observer, which is called with the changed collections ``notificationDelay`` after each commit. Returns its number.
    package func observe(_ observer: @escaping (Set<CollectionID>) -> Void) -> Int {
        observerCount += 1
        observers[observerCount] = observer
        return observerCount
    }

    package func stopObserving(_ number: Int) {
        observers[number] = nil
    }

    private func notifyObservers() {
        let changed = news.withLock { news in
            defer { news = [] }
            return news
        }
        guard !changed.isEmpty, !isDead else { return }
        for number in observers.keys.sorted() {
            simulation.after(notificationDelay) { [weak self] in self?.observers[number]?(changed) }
        }
    }

    // MARK: Content

    package func collection(_ id: CollectionID = .default) throws -> CollectionStore {
        if let known = collections[id], known.exists { return known }
        let collection = try file.createCollection(id)
        collections[id] = collection
        return collection
    }

    /// Saves a document, given as JSON, as a new revision.
    @discardableResult
    package func save(_ documentID: String, _ json: String, in collection: CollectionID = .default) throws -> DocumentSaveOutcome {
        let collection = try self.collection(collection)
        return try file.transaction { writer in
            try collection.save(DocumentSave(documentID, base: .latest), in: writer) { encoder in
                var text = json
                try text.withUTF8 { try JSON.parse(UnsafeRawBufferPointer($0), into: &encoder) }
                return json.contains("\"@type\"")
            }
        }
    }

    @discardableResult
    package func delete(_ documentID: String, in collection: CollectionID = .default) throws -> DocumentSaveOutcome {
        let collection = try self.collection(collection)
        return try file.transaction { try collection.delete(documentID, base: .latest, in: $0) }
    }

    /// Stores a blob, and returns its blob dictionary as JSON.
    package func blob(_ content: [UInt8], type: String = "text/plain") throws -> String {
        let digest = try file.blobs.store(content)
        return
            #"{"@type":"blob","content_type":"\#(type)","digest":"\#(digest.string)","length":\#(content.count)}"#
    }

    /// Returns the current revision of a document as JSON with sorted keys; `nil` if the document does not exist or is deleted.
    package func json(_ documentID: String, in collection: CollectionID = .default) throws -> String? {
        guard let document = try self.collection(collection).document(documentID) else { return nil }
        return try document.body.withRoot { try JSON.string($0, sharedKeys: document.sharedKeys, form: .canonical) }
    }
}

/// A value that the observers of commits, which must be Sendable, share with the simulation.
private final class Box<Value>: Sendable {
    private let value: Mutex<Value>

    init(_ value: sending Value) {
        self.value = Mutex(value)
    }

    func withLock<Result>(_ body: (inout sending Value) throws -> sending Result) rethrows -> sending Result {
        try value.withLock(body)
    }
}
