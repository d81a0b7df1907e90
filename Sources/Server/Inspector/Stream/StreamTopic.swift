import Base
import DocumentStore

/// Something that a page shows, and wants to see again when it changes. Used by one task.
protocol StreamTopic {
    /// Begins to observe.
    ///
    /// - Parameter changed: Called on any thread, also by one that commits, when ``next()`` may have another result than before. It returns
    ///   quickly.
    mutating func observe(_ changed: @escaping @Sendable () -> Void) throws

    /// Returns the next message; `nil` if there is none. Changes that are made after the call has begun are announced.
    mutating func next() throws -> AnswerValue?
}

/// The counters of a database, for charts.
struct CountersTopic: StreamTopic {
    let database: InspectedDatabase
    private var commits: CommitObservation?
    private var others: [ChangeObservation] = []

    init(_ database: InspectedDatabase) { self.database = database }

    mutating func observe(_ changed: @escaping @Sendable () -> Void) throws {
        commits = CommitObservation(try database.file, changed)
        others = [database.counts.observers.add(changed)] + (database.source.observeReplication.map { [$0(changed)] } ?? [])
    }

    mutating func next() throws -> AnswerValue? {
        try commits?.begin()
        return try database.counterValues()
    }
}

/// The list of the databases of an inspector.
struct DatabasesTopic: StreamTopic {
    let databases: [InspectedDatabase]
    private var commits: [CommitObservation] = []
    private var others: [ChangeObservation] = []

    init(_ databases: [InspectedDatabase]) { self.databases = databases }

    mutating func observe(_ changed: @escaping @Sendable () -> Void) throws {
        commits = try databases.map { CommitObservation(try $0.file, changed) }
        others = databases.compactMap { $0.source.observeReplication?(changed) }
    }

    mutating func next() throws -> AnswerValue? {
        for observation in commits { try observation.begin() }
        return databases.map(\.summary)
    }
}

/// The users, roles and channels of the databases of an inspector.
struct UsersTopic: StreamTopic {
    private let users: InspectedUsers
    private var commits: CommitObservation?

    init(_ users: InspectedUsers) { self.users = users }

    mutating func observe(_ changed: @escaping @Sendable () -> Void) throws { commits = CommitObservation(try users.openFile(), changed) }

    mutating func next() throws -> AnswerValue? {
        try commits?.begin()
        return try users.value()
    }
}

/// The lines of the log with higher numbers than those that the page has.
struct LogTopic: StreamTopic {
    let log: LogBuffer
    private var last: Int
    private var observation: ChangeObservation?

    /// - Parameter last: The number of the last line that the page has.
    init(_ log: LogBuffer, after last: Int) { (self.log, self.last) = (log, last) }

    mutating func observe(_ changed: @escaping @Sendable () -> Void) { observation = log.observers.add(changed) }

    mutating func next() -> AnswerValue? {
        let found = log.lines(after: last)
        guard found.last > last else { return nil }
        last = found.last
        return found.lines
    }
}

/// Observes the commits to all collections of a file, by all processes.
final class CommitObservation {
    private let file: DatabaseFile
    private let changed: @Sendable () -> Void
    private var collections: [CollectionID] = []
    private var registration: CollectionWatch.Registration?

    /// - Parameter changed: Called once after each ``begin()``, on any thread, possibly with the write lock held.
    init(_ file: DatabaseFile, _ changed: @escaping @Sendable () -> Void) { (self.file, self.changed) = (file, changed) }

    deinit {
        if let registration { file.watch.remove(registration) }
    }

    /// Requests to be notified of the next commit. Must be called before what is shown is read.
    func begin() throws {
        let now = try file.collectionIDs()
        if registration == nil || now != collections {
            // Every observer is notified of created and deleted collections, if it has registered for any name.
            let new = try file.watch.register(for: now.map(\.storeName) + [""], of: file, changed: changed)
            if let registration { file.watch.remove(registration) }
            (registration, collections) = (new, now)
        }
        if let registration { file.watch.wait(registration) }
    }
}
