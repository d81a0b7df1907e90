#if Replication
import CouchbaseLiteSwift
import Foundation

/// The target of a replication as given on the command line: a URL, or the directory of a database.
enum ReplicationTarget: Sendable {
    case url(URL)
    case directory(String)

    /// - Parameter createsDatabase: Whether a directory that does not exist will be created.
    /// - Throws: ``Failure`` if a URL is invalid, has an unsupported scheme or contains credentials.
    init(_ typed: String, createsDatabase: Bool) throws {
        guard let colon = typed.range(of: "://") else {
            self = .directory(createsDatabase ? DatabasePath.new(typed) : DatabasePath.existing(typed))
            return
        }
        let scheme = typed[..<colon.lowerBound].lowercased()
        guard ["ws", "wss"].contains(scheme) else {
            throw Failure(
                .usage,
                "\(typed): replication supports ws:// and wss://, not \(scheme)://",
                hint: "A Sync Gateway listens at ws://HOST:4984/DATABASE."
            )
        }
        guard let url = URL(string: typed), url.host?.isEmpty == false else {
            throw Failure(.usage, "\(typed) is not a URL", hint: "A URL looks like ws://HOST:4984/DATABASE.")
        }
        guard url.user == nil, url.password == nil else {
            throw Failure(.usage, "the URL must not contain a user or password", hint: "Give the user with --user.")
        }
        guard url.path.count > 1 else {
            throw Failure(.usage, "\(typed) has no database name", hint: "A URL looks like ws://HOST:4984/DATABASE.")
        }
        self = .url(url)
    }

    /// The URL or path, for messages.
    var description: String {
        switch self {
        case .url(let url): url.absoluteString
        case .directory(let path): path
        }
    }
}

/// The databases of a command. Those that it has created are deleted at its end, if it has failed and they are empty: a wrong URL or option
/// leaves nothing.
struct OpenedDatabases {
    private var databases: [(database: Database, isNew: Bool)] = []

    /// Opens the database in a directory for replication; see ``Database/open(_:key:creating:)``.
    mutating func open(_ path: String, key: EncryptionKey?, creating: Bool) throws -> Database {
        let isNew = creating && !DatabaseFiles.exist(at: path)
        let database = try Database.open(path, key: key, creating: creating)
        databases.append((database, isNew))
        return database
    }

    /// Keeps the databases that the command has created, also if they are empty.
    mutating func keepCreated() { for place in databases.indices { databases[place].isNew = false } }

    /// Closes the databases.
    func close() {
        for (database, isNew) in databases {
            if isNew, (try? database.hasSequences()) == false, (try? database.delete()) != nil { continue }
            try? database.close()
        }
    }
}

extension Database {
    /// Opens the database in a directory for replication.
    ///
    /// - Parameter creating: Whether to create the database if it does not exist.
    static func open(_ path: String, key: EncryptionKey?, creating: Bool = false) throws -> Database {
        let url = URL(fileURLWithPath: path).standardizedFileURL
        guard creating || FileManager.default.fileExists(atPath: url.path) else { throw Failure.noDatabase(path) }
        guard url.pathExtension == DatabaseFiles.fileExtension else {
            throw Failure(.usage, "\(path): the directory name of a database to replicate must end in .\(DatabaseFiles.fileExtension)")
        }
        // Each of several connections has a cache, and pages are read in their order.
        return try Opening(path: url.path, busyTimeout: 10, key: key, cacheSize: 4096).database(creating ? .creating : .writing)
    }
}
#endif
