#if Replication
import CouchbaseLiteSwift
import Foundation
import TestSupport

/// Runs a replication command. Returns `false` if the command is another one.
func replicate(_ database: Database, _ arguments: [String]) throws -> Bool {
    switch arguments[2] {
    case "serve": try serve(database, port: UInt16(arguments[3]) ?? 0)
    case "push": try replicate(database, .push, with: arguments[3])
    case "pull": try replicate(database, .pull, with: arguments[3])
    default: return false
    }
    return true
}

/// Serves a database until the process ends. Reports the port, and the peak memory on SIGUSR1.
func serve(_ database: Database, port: UInt16) throws {
    let config = URLEndpointListenerConfiguration(collections: [try database.defaultCollection()])
    config.networkInterface = "127.0.0.1"
    config.disableTLS = true
    config.port = port
    let listener = URLEndpointListener(config: config)
    try listener.start()
    report("port \(listener.port ?? 0)")
    signal(SIGUSR1, SIG_IGN)
    let asked = DispatchSource.makeSignalSource(signal: SIGUSR1)
    asked.setEventHandler { report("peak \(PeakMemory.ofThisProcess ?? 0)") }
    asked.resume()
    withExtendedLifetime((listener, asked)) { while true { sleep(3600) } }
}

/// Replicates once, and reports the peak memory of the process before and after.
func replicate(_ database: Database, _ type: ReplicatorType, with url: String) throws {
    guard let url = URL(string: url) else { throw POSIXError(.EINVAL) }
    let before = PeakMemory.ofThisProcess ?? 0
    try replicate(database, type, with: URLEndpoint(url: url))
    report("peak \(before) \(PeakMemory.ofThisProcess ?? 0)")
}

/// Replicates once.
private func replicate(_ database: Database, _ type: ReplicatorType, with target: any Endpoint) throws {
    let config = try ReplicatorConfiguration(
        collections: [CollectionConfiguration(collection: database.defaultCollection())],
        target: target
    )
    config.replicatorType = type
    config.maxAttempts = 1
    let replicator = Replicator(config: config)
    let ended = DispatchSemaphore(value: 0)
    let queue = DispatchQueue(label: "replicate")
    replicator.addChangeListener(withQueue: queue) { change in
        if change.status.activity == .stopped { ended.signal() }
    }
    replicator.start()
    ended.wait()
    if let error = replicator.status.error { throw error }
}

/// Replicates with another database, directly and through a listener.
func replicateLocally(_ database: Database, with other: Database) throws {
    try replicate(database, .pushAndPull, with: DatabaseEndpoint(database: other))
    let config = URLEndpointListenerConfiguration(collections: [try other.defaultCollection()])
    config.networkInterface = "127.0.0.1"
    config.disableTLS = true
    let listener = URLEndpointListener(config: config)
    try listener.start()
    guard let url = listener.urls?.first else { throw POSIXError(.EADDRNOTAVAIL) }
    try replicate(database, .pushAndPull, with: URLEndpoint(url: url))
    listener.stop()
    try other.close()
}
#else
import CouchbaseLiteSwift

func replicate(_ database: Database, _ arguments: [String]) throws -> Bool { false }

func replicateLocally(_ database: Database, with other: Database) throws { try other.close() }
#endif
