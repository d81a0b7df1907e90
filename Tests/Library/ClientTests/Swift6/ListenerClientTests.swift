// Listeners as apps write them in Swift 6 mode: on the main actor, in actors, and in functions that belong to no actor.
import CouchbaseLiteSwift
import Synchronization
import TestSupport
import Testing

/// A view's state, which listeners without a queue change directly.
@MainActor
final class ListeningView {
    private(set) var heard: Set<String> = []
    private var tokens: [ListenerToken] = []

    func listen(to notes: Collection, _ query: Query) {
        tokens.append(notes.addChangeListener { [weak self] change in self?.heard.insert("collection \(change.documentIDs)") })
        tokens.append(notes.addDocumentChangeListener(id: "a", listener: hear))
        tokens.append(
            query.addChangeListener { [weak self] change in
                self?.heard.insert("query \(change.results?.allResults().count ?? -1)")
            }
        )
        // A listener on a background queue reads what it needs there, and updates the view in a task.
        tokens.append(
            query.addChangeListener(withQueue: .global()) { [weak self] change in
                let texts = change.results?.compactMap { $0.string(forKey: "text") } ?? []
                Task { @MainActor in self?.heard.insert("texts \(texts)") }
            }
        )
    }

    private func hear(_ change: DocumentChange) { heard.insert("document \(change.documentID)") }

    func stop() {
        for token in tokens { token.remove() }
    }
}

/// Counts the changes of documents.
actor ChangeCounter {
    private(set) var counts: [String: Int] = [:]

    func listen(to notes: Collection) -> ListenerToken {
        notes.addChangeListener(queue: .global()) { change in
            Task { await self.add(change.documentIDs) }
        }
    }

    private func add(_ ids: [String]) {
        for id in ids { counts[id, default: 0] += 1 }
    }
}

/// Adds listeners that share state behind a lock.
func record(_ notes: Collection, in log: Recorder<String>) -> [ListenerToken] {
    [
        notes.addChangeListener { change in log.append("main \(change.documentIDs)") },
        notes.addChangeListener(queue: .global()) { change in log.append("background \(change.documentIDs)") },
    ]
}

@Suite("Listeners of a client in Swift 6 mode")
struct ListenerClientTests {
    let directory: TemporaryDirectory
    let notes: Collection

    init() throws {
        directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        notes = try Database(name: "listeners", config: config).createCollection(name: "notes")
    }

    private func saveNote() throws {
        try notes.save(document: MutableDocument(id: "a").setString("first", forKey: "text"))
    }

    @Test("listeners without a queue change the state of a class on the main actor")
    func mainActor() async throws {
        let view = ListeningView()
        await view.listen(to: notes, try notes.database.createQuery("SELECT text FROM notes"))
        try saveNote()
        let expected: Set = [#"collection ["a"]"#, "document a", "query 1", #"texts ["first"]"#]
        while await !view.heard.isSuperset(of: expected) { try await Task.sleep(for: .milliseconds(5)) }
        await view.stop()
    }

    @Test("a listener of an actor passes changes to the actor in a task")
    func actors() async throws {
        let counter = ChangeCounter()
        let token = await counter.listen(to: notes)
        try saveNote()
        while await counter.counts.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(await counter.counts == ["a": 1])
        token.remove()
    }

    @Test("listeners that are added by a function without isolation share state behind a lock")
    func nonisolatedFunctions() async throws {
        let log = Recorder<String>()
        let tokens = record(notes, in: log)
        try saveNote()
        while log.all.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(Set(log.all) == [#"main ["a"]"#, #"background ["a"]"#])
        for token in tokens { token.remove() }
    }

    @Test("a background listener may be added on the main actor, and is called on another thread")
    @MainActor
    func backgroundListenerOfTheMainActor() async throws {
        let threads = Recorder<Bool>()
        let token = notes.addChangeListener(queue: DispatchQueue(label: "background")) { _ in threads.append(Thread.isMainThread) }
        try saveNote()
        while threads.all.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(threads.all == [false])
        token.remove()
    }

    @Test("values of the API can be passed between actors")
    func values() {
        func areSendable<each Value: Sendable>(_ types: repeat (each Value).Type) {}
        areSendable(CollectionChange.self, DocumentChange.self, QueryChange.self, ListenerToken.self, DocumentFragment.self)
        areSendable(FullTextIndexConfiguration.self, ValueIndexConfiguration.self, ArrayIndexConfiguration.self)
        areSendable(CustomLogSink.self, FileLogSink.self, ConsoleLogSink.self, LogDomains.self, LogLevel.self, CBLError.self)
        #if Replication
        areSendable(CollectionConfiguration.self, URLEndpoint.self, DatabaseEndpoint.self, MessageEndpoint.self)
        areSendable(BasicAuthenticator.self, SessionAuthenticator.self, ProxySettings.self, ReplicationFilter.self)
        areSendable(MessageEndpointListenerConfiguration.self, MessageEndpointListenerChange.self, MessagingError.self)
        areSendable(ReplicatorChange.self, DocumentReplication.self, Conflict.self, Message.self)
        areSendable(ListenerPasswordAuthenticator.self, ListenerCertificateAuthenticator.self)
        #endif
    }
}
