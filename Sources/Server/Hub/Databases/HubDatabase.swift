#if Replication
import DatabaseRuntime
import DocumentStore
import Base
import Foundation
import QueryEngine
import Replication
import Synchronization
import WebServer

/// An open database of a hub.
final class HubDatabase: Sendable {
    /// The name in URLs: that of the bundle without its extension.
    let name: String
    let core: DatabaseCore
    let file: DatabaseFile
    let replica: ReplicaDatabase
    /// How requests see the revisions of a database with version vectors, which it keeps; `nil` if it had revision trees so far.
    private let viewOfVersions = Mutex<RevisionView?>(nil)
    private let mapping: ChannelMapping
    /// The memory for the contents of attachments in documents that are being encoded.
    let attachmentMemory: BodyBudget
    /// Limits the queries that run at the same time.
    let queryTurns: QueryTurns
    /// The bodies that were replaced a short time ago.
    let replaced: ReplacedBodies
    /// Limits the large documents that are sent at the same time.
    let documentTurns: DocumentTurns
    /// The time of the opening, in microseconds since 1970.
    let startTime = Int64(Date().timeIntervalSince1970 * 1e6)

    /// The memory for the contents of attachments in documents that are being encoded, in bytes.
    static let maximumAttachmentMemory = 40 << 20

    /// Opens the database at `path`.
    ///
    /// - Parameters:
    ///   - mapping: Where the channels of documents come from.
    ///   - attachmentMemory: The memory for the contents of attachments in documents that are being encoded, which databases share.
    ///   - queryTurns: Limits the queries that run at the same time, which databases share.
    ///   - replaced: The bodies that were replaced a short time ago, for which databases share the memory.
    ///   - documentTurns: Limits the large documents that are sent at the same time, which databases share.
    ///   - creates: Whether to create the database if it does not exist.
    init(
        name: String,
        path: String,
        mapping: ChannelMapping = ChannelMapping(),
        attachmentMemory: BodyBudget = BodyBudget(bytes: HubDatabase.maximumAttachmentMemory),
        queryTurns: QueryTurns = QueryTurns(),
        replaced: ReplacedBodies = ReplacedBodies(),
        documentTurns: DocumentTurns = DocumentTurns(),
        creates: Bool = false
    ) throws {
        var options = DatabaseFile.Options()
        options.supportQueries()
        options.createsIfMissing = creates
        self.name = name
        self.mapping = mapping
        self.attachmentMemory = attachmentMemory
        self.queryTurns = queryTurns
        self.replaced = replaced
        self.documentTurns = documentTurns
        core = try DatabaseCore(name, at: path, options)
        file = try core.openFile()
        replica = ReplicaDatabase(file)
        do {
            // The file is prepared now rather than by the first request.
            _ = try view()
        } catch {
            try? core.close()
            throw error
        }
    }

    /// Returns how requests see the revisions: they name them by IDs in trees, also in a database with version vectors (Version vectors 7.6). Another
    /// process can give these to the database while it is served.
    func view() throws -> RevisionView {
        if let known = viewOfVersions.withLock({ $0 }) { return known }
        let view = try replica.viewForTrees()
        if view.isTrees { viewOfVersions.withLock { $0 = view } }
        return view
    }

    /// Returns the collection with a name, or `nil` if it does not exist.
    func keyspace(_ id: CollectionID) throws -> Keyspace? {
        guard let replica = try replica.collection(id, shownAs: { [self] in try view() }) else { return nil }
        return Keyspace(database: self, replica: replica, rule: rule(of: id))
    }

    /// Returns the collection of a name in the only scope that is not the default one; `nil` if it does not exist, or there are several scopes.
    func keyspace(ofOnlyScope name: String) throws -> Keyspace? {
        let scopes = try Set(exactly: file.collectionIDs().map(\.scope).filter { !$0.isExactly(CollectionID.defaultName) })
        guard scopes.count == 1, let scope = scopes.first, let id = try? CollectionID(name: name, scope: scope.string) else { return nil }
        return try keyspace(id)
    }

    /// Returns where the channels of the documents of a collection come from.
    func rule(of id: CollectionID) -> ChannelRule { mapping.rule(of: id, in: name) }

    func close() { try? core.close() }
}

/// A collection as URLs name it: `db`, `db.collection` or `db.scope.collection`.
struct Keyspace: Sendable {
    let database: HubDatabase
    let replica: ReplicaCollection
    /// Where the channels of the documents come from.
    let rule: ChannelRule

    var store: CollectionStore { replica.store }
    var id: CollectionID { replica.id }
}

/// The databases of a hub: the bundles in its directory, and the database of the hub itself.
final class HubDatabases: Sendable {
    /// The name of the database with the users. It is not served.
    static let ownName = "_hub"

    let own: HubDatabase
    private let served: [ExactString: HubDatabase]

    /// Opens all bundles in a directory.
    ///
    /// - Parameter mapping: Where the channels of documents come from.
    /// - Throws: The errors of opening; ``ChannelMappingError`` if the mapping names a database that does not exist. Databases that were opened
    ///   are closed again.
    init(directory: String, mapping: ChannelMapping) throws {
        let opened = try Self.served(in: directory, mapping: mapping)
        do {
            try mapping.check { name in opened.contains { $0.name.isExactly(name) } }
            own = try HubDatabase(name: Self.ownName, path: Self.ownPath(in: directory), creates: true)
        } catch {
            opened.forEach { $0.close() }
            throw error
        }
        served = Dictionary(uniqueKeysWithValues: opened.map { (ExactString($0.name), $0) })
    }

    /// Opens the databases in a directory, without the hub's own one.
    static func served(in directory: String, mapping: ChannelMapping = ChannelMapping()) throws -> [HubDatabase] {
        var opened: [HubDatabase] = []
        let (attachmentMemory, queryTurns) = (BodyBudget(bytes: HubDatabase.maximumAttachmentMemory), QueryTurns())
        let replaced = ReplacedBodies()
        let documentTurns = DocumentTurns()
        do {
            let suffix = "." + BundlePath.fileExtension
            for file in try FileManager.default.contentsOfDirectory(atPath: directory).sorted() where file.hasSuffix(suffix) {
                let name = String(file.dropLast(suffix.count))
                // URLs of the hub itself and of the API begin with an underscore.
                guard !name.isEmpty, !name.beginsExactly(with: "_") else { continue }
                let path = "\(directory)/\(file)"
                opened.append(
                    try HubDatabase(
                        name: name,
                        path: path,
                        mapping: mapping,
                        attachmentMemory: attachmentMemory,
                        queryTurns: queryTurns,
                        replaced: replaced,
                        documentTurns: documentTurns
                    )
                )
            }
        } catch {
            opened.forEach { $0.close() }
            throw error
        }
        return opened
    }

    static func ownPath(in directory: String) -> String { "\(directory)/\(ownName).\(BundlePath.fileExtension)" }

    /// The served databases, sorted by their names.
    var all: [HubDatabase] { served.values.sorted { ExactString($0.name) < ExactString($1.name) } }

    func database(_ name: String) -> HubDatabase? { served[ExactString(name)] }

    /// Returns the collection that a segment of a path names, or `nil` if it does not exist. The name of a database may contain dots.
    func keyspace(_ segment: String) throws -> Keyspace? {
        if let database = self.database(segment) { return try database.keyspace(.default) }
        let parts = segment.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for count in [2, 1] where parts.count > count {
            guard let database = self.database(parts.dropLast(count).joined(separator: ".")) else { continue }
            let names = parts.suffix(count)
            let id = try? CollectionID(name: names.last ?? "", scope: count == 2 ? names.first ?? "" : CollectionID.defaultName)
            if let id, let keyspace = try database.keyspace(id) { return keyspace }
            // As in Sync Gateway, whose databases have one scope, the scope can be omitted.
            if count == 1, let name = names.last, let keyspace = try database.keyspace(ofOnlyScope: name) { return keyspace }
        }
        return nil
    }

    func close() { (all + [own]).forEach { $0.close() } }
}
#endif
