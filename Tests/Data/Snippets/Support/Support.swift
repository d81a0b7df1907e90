// What the programs of script/check-snippets use besides the snippets. It sees the public API only.
import CouchbaseLiteSwift
import Foundation
import Synchronization

/// The lines that the snippets have printed.
let printed = Mutex<[String]>([])

/// Prints and records a line; it takes the place of the function of the standard library.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    let line = items.map { "\($0)" }.joined(separator: separator)
    Swift.print(line, terminator: terminator)
    printed.withLock { $0.append(line) }
}

/// Waits until a snippet has printed a line that contains a text: so a listener is known to have been called.
func expectPrinted(_ text: String, line: Int = #line) async throws {
    for _ in 0..<3000 {
        if printed.withLock({ $0.contains { $0.contains(text) } }) { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    fail("\(text) was not printed", line)
}

/// Ends the program with an error if a result is not the expected one.
func check(_ condition: Bool, line: Int = #line) {
    if !condition { fail("a result is not as expected", line) }
}

private func fail(_ reason: String, _ line: Int) {
    FileHandle.standardError.write(Data("\(reason), line \(line)\n".utf8))
    exit(1)
}

/// Ends the program.
func finish() { exit(0) }

/// A new directory for databases, in the directory of the program.
struct DatabaseFolder: Sendable {
    let url = URL(fileURLWithPath: FileManager.default.currentDirectoryPath).appendingPathComponent(UUID().uuidString)

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    var config: DatabaseConfiguration {
        let config = DatabaseConfiguration()
        config.directory = url.path
        return config
    }

    func open(_ name: String) throws -> Database { try Database(name: name, config: config) }
}

#if Replication
/// A database that a listener on this machine serves.
final class ServedDatabase: Sendable {
    let database: Database
    let collection: CouchbaseLiteSwift.Collection
    let url: URL
    private let listener: URLEndpointListener

    /// `name`: the default collection if it is `nil`.
    init(_ folder: DatabaseFolder, collection name: String?, password: String? = nil) throws {
        database = try folder.open("server")
        collection = try name.map { [database] in try database.createCollection(name: $0) } ?? database.defaultCollection()
        let config = URLEndpointListenerConfiguration(collections: [collection])
        config.disableTLS = true
        if let password {
            config.authenticator = ListenerPasswordAuthenticator { $0 == "anna" && $1 == password }
        }
        listener = URLEndpointListener(config: config)
        try listener.start()
        guard let port = listener.port, let url = URL(string: "ws://localhost:\(port)/server") else { throw URLError(.badURL) }
        self.url = url
    }
}

extension Replicator {
    /// Waits until the replicator has stopped or is idle, and checks that it has no error.
    nonisolated(nonsending) func waitUntilDone() async {
        // Requested before the status is read, so that no change between the two is missed.
        let changes = statusChanges()
        if isDone(status) { return }
        for await status in changes where isDone(status) { return }
    }

    nonisolated private func isDone(_ status: Status) -> Bool {
        check(status.error == nil)
        return status.activity == .stopped || status.activity == .idle
    }
}
#endif
