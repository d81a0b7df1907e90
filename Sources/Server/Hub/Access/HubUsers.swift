#if Replication
import Crypto
import DatabaseRuntime
package import DocumentStore
import Base
import Foundation
import Fleece
import Replication
import SyncCore
import Synchronization

/// The users and roles of a hub, in the database `_hub.cblite2` in its directory.
///
/// Names and channels are compared by their bytes. Changes by other processes, such as `cblite hub user`, take effect with the next request.
package final class HubUsers: Sendable {
    /// A user as stored.
    package struct User: Codable, Sendable, Equatable {
        var password: PasswordHash
        /// The channels that the user may read and write. `*` stands for all documents.
        package var channels: [String] = []
        /// The names of roles, whose channels the user has too.
        package var roles: [String] = []
        /// Whether the user cannot log in, and is refused with the sessions that exist.
        package var isDisabled = false
    }

    /// A set of channels with a name.
    package struct Role: Codable, Sendable, Equatable {
        /// The channels that users with the role may read and write. `*` stands for all documents.
        package var channels: [String] = []
    }

    /// The number of remembered correct passwords.
    private static let maximumRemembered = 1000

    private struct State {
        /// The digests of correct passwords, by user, so that not every request takes the time of a check. The key is random.
        var correct: [ExactString: (stored: PasswordHash, digest: Data)] = [:]
    }

    /// The hub's own database.
    let database: HubDatabase
    /// The databases of a running hub.
    private let served: [HubDatabase]
    /// The directory whose databases are opened when they are needed; `nil` for those of a running hub.
    private let directory: String?
    private let key = SymmetricKey(size: .bits256)
    private let state = Mutex(State())
    /// What an unknown user's password is compared with, so that the time does not show whether a user exists.
    private let dummy = Mutex<PasswordHash?>(nil)
    private let iterations: Int

    /// - Parameters:
    ///   - database: The hub's own database.
    ///   - served: The databases of the hub.
    init(_ database: HubDatabase, of served: [HubDatabase] = [], iterations: Int = PasswordHash.defaultIterations) {
        (self.database, self.served, self.iterations) = (database, served, iterations)
        directory = nil
    }

    /// Opens the users of a hub, for changing them. The hub may be running.
    package init(directory: String) throws {
        database = try HubDatabase(name: HubDatabases.ownName, path: HubDatabases.ownPath(in: directory), creates: true)
        iterations = PasswordHash.defaultIterations
        served = []
        self.directory = directory
    }

    deinit {
        if directory != nil { database.close() }
    }

    private static func collection(_ name: String) throws -> CollectionID { try CollectionID(name: name, scope: "hub") }

    // MARK: Reading

    /// Returns the open file in which users and roles are stored.
    ///
    /// - Throws: `StoreError.notOpen` if the hub was stopped.
    package func openFile() throws -> DatabaseFile { try database.core.openFile() }

    /// The names of all users, sorted.
    package func names() throws -> [String] { try names("users") }

    /// The names of all roles, sorted.
    package func roleNames() throws -> [String] { try names("roles") }

    private func names(_ collection: String) throws -> [String] {
        guard let store = try database.file.collection(Self.collection(collection)) else { return [] }
        var names: [String] = []
        try store.forEachDocument { record in
            names.append(record.id)
            return true
        }
        return names
    }

    /// Whether there is any user.
    package func isEmpty() throws -> Bool {
        guard let store = try database.file.collection(Self.collection("users")) else { return true }
        var isEmpty = true
        try store.forEachDocument { _ in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    /// Returns a user; `nil` if there is none of that name.
    package func user(_ name: String) throws -> User? { try read("users", name) }

    /// Returns a role; `nil` if there is none of that name.
    package func role(_ name: String) throws -> Role? { try read("roles", name) }

    private func read<Stored: Decodable>(_ collection: String, _ name: String) throws -> Stored? {
        guard DocumentIdentifier.isValid(name), let store = try database.file.collection(Self.collection(collection)),
            let record = try store.document(name)
        else { return nil }
        let json = try record.body.withRoot { try JSON.bytes($0, sharedKeys: record.sharedKeys) }
        return try json.map { try JSONDecoder().decode(Stored.self, from: Data($0)) }
    }

    // MARK: Changing

    /// Adds a user.
    ///
    /// - Returns: `false` if a user of that name exists.
    /// - Throws: ``SyncError`` if the name is not valid or the password is empty; the errors of the database.
    package func add(
        _ name: String,
        password: String,
        channels: [String],
        roles: [String] = [],
        isDisabled: Bool = false
    ) throws -> Bool {
        guard try user(name) == nil else { return false }
        let hash = try self.hash(password)
        return try writeUser(name) {
            // Another client may have added it in the meantime.
            try user(name) == nil ? User(password: hash, channels: channels, roles: roles, isDisabled: isDisabled) : nil
        }
    }

    /// Changes a user. Parts that are `nil` stay as they are.
    ///
    /// - Returns: `false` if there is no user of that name.
    package func change(
        _ name: String,
        password: String? = nil,
        channels: [String]? = nil,
        roles: [String]? = nil,
        isDisabled: Bool? = nil
    ) throws -> Bool {
        guard let stored = try user(name)?.password else { return false }
        // Before the transaction, because it takes long. The same password stays as it is, so that sessions and sync go on.
        let hash = try password.flatMap { try stored.matches($0) ? nil : self.hash($0) }
        return try writeUser(name) {
            guard var user = try self.user(name) else { return nil }
            if let hash { user.password = hash }
            if let channels { user.channels = channels }
            if let roles { user.roles = roles }
            if let isDisabled { user.isDisabled = isDisabled }
            return user
        }
    }

    private func hash(_ password: String) throws -> PasswordHash {
        guard !password.isEmpty else { throw SyncError(engine: .invalidParameter, "a password must not be empty") }
        return PasswordHash(password, iterations: iterations)
    }

    /// Adds a role, or changes its channels.
    package func setRole(_ name: String, channels: [String]) throws {
        _ = try write("roles", name) {
            Role(channels: channels)
        } then: { _, writer in
            try noteChannels(withRole: name, in: writer)
        }
    }

    /// Removes a user with the user's local documents, the checkpoints of the user's clients and the history of the channels, which are not for another
    /// user of that name. Returns `false` if there is none of that name.
    package func remove(_ name: String) throws -> Bool {
        guard try user(name) != nil else { return false }
        let opened = try directory.map { try HubDatabases.served(in: $0) } ?? []
        defer { opened.forEach { $0.close() } }
        let removeEntries = { for database in self.served + opened { try UserEntries.removeAll(of: name, in: database) } }
        let isRemoved = try purge("users", name) { writer in
            try forgetChannels(of: name, in: writer)
            // If they cannot be removed, the user remains.
            try removeEntries()
        }
        // Until now requests of the user could store others.
        if isRemoved { try removeEntries() }
        return isRemoved
    }

    /// Removes a role. Its users lose the channels of the role, and have them again if a role of that name is added. Returns `false` if there
    /// is none of that name.
    package func removeRole(_ name: String) throws -> Bool {
        try role(name) != nil && purge("roles", name) { writer in try noteChannels(withRole: name, in: writer) }
    }

    private func noteChannels(withRole role: String, in writer: Writer) throws {
        for name in try names() {
            guard let user = try self.user(name), user.roles.contains(where: { $0.isExactly(role) }) else { continue }
            try noteChannels(of: name, user, in: writer)
        }
    }

    /// Removes an entry, and calls `finish` in the same transaction. Returns `false` if there is no such entry.
    private func purge(_ collection: String, _ name: String, then finish: (Writer) throws -> Void) throws -> Bool {
        guard let store = try database.file.collection(Self.collection(collection)) else { return false }
        return try database.file.transaction { writer in
            guard try store.purge(name, in: writer) else { return false }
            try finish(writer)
            return true
        }
    }

    /// Stores a user, and notes the channels.
    private func writeUser(_ name: String, _ make: () throws -> User?) throws -> Bool {
        try write("users", name, make) { user, writer in try noteChannels(of: name, user, in: writer) }
    }

    /// Stores what `make` returns, and calls `finish` with it, both in the same transaction. Returns `false` if `make` returns `nil`.
    private func write<Stored: Encodable>(
        _ collection: String,
        _ name: String,
        _ make: () throws -> Stored?,
        then finish: (Stored, Writer) throws -> Void
    ) throws -> Bool {
        guard DocumentIdentifier.isValid(name), !name.utf8.contains(UInt8(ascii: ":")) else {
            throw SyncError(engine: .invalidParameter, "a name must not be empty, contain a colon, or have more than 240 bytes")
        }
        let store = try database.file.createCollection(Self.collection(collection))
        return try database.file.transaction { writer in
            guard let stored = try make() else { return false }
            let json = try Array(JSONEncoder().encode(stored))
            // Without the shared keys of the file, which the transaction uses.
            guard case .body(let body) = try BodyReader(file: nil).content(json: json) else { return false }
            _ = try store.save(DocumentSave(name, base: .latest), in: writer) { encoder in
                body.body.data.withRoot { encoder.write($0, keys: .other(body.body.keys)) }
                return false
            }
            try finish(stored, writer)
            return true
        }
    }

    // MARK: Checking

    /// The collections whose changes may change what users may do.
    static func collections() throws -> [CollectionID] { [try collection("users"), try collection("roles")] }

    /// Returns whether a user exists, is enabled, and has this password, which was correct before. Returns at once.
    func remembers(_ name: String, _ password: String) throws -> Bool {
        guard let user = try self.user(name), !user.isDisabled else { return false }
        return remembers(name, user, digest(of: password))
    }

    private func remembers(_ name: String, _ user: User, _ digest: Data) -> Bool {
        guard let known = state.withLock({ $0.correct[ExactString(name)] }) else { return false }
        return known.stored == user.password && known.digest == digest
    }

    private func digest(of password: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(password.utf8), using: key))
    }

    /// Returns whether a user exists, is enabled, and has this password. Takes a fraction of a second, unless the same password was correct
    /// before.
    func isCorrect(_ name: String, _ password: String) throws -> Bool {
        guard let user = try self.user(name), !user.isDisabled else {
            let dummy = dummy.withLock { dummy in
                if dummy == nil { dummy = PasswordHash("", iterations: iterations) }
                return dummy
            }
            _ = dummy?.matches(password + "?")
            return false
        }
        let digest = self.digest(of: password)
        if remembers(name, user, digest) { return true }
        guard user.password.matches(password) else { return false }
        state.withLock { state in
            if state.correct.count >= Self.maximumRemembered { state.correct.removeAll() }
            state.correct[ExactString(name)] = (user.password, digest)
        }
        return true
    }
}
#endif
