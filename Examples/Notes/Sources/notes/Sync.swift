#if SYNC
import ArgumentParser
import CouchbaseLiteSwift

struct Sync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Syncs the notes with a server, such as `cblite serve`.")
    @OptionGroup var place: Place
    @Argument(help: "The URL, such as ws://localhost:4984/notes.") var url: String
    @Flag(help: "Stays connected until Ctrl-C.") var continuous = false

    func run() async throws {
        guard let url = URL(string: url) else { throw ValidationError("\"\(url)\" is not a URL.") }
        let collection = try place.open().notes.collection
        var settings = CollectionConfiguration(collection: collection)
        settings.conflictResolver = Merging()
        let config = ReplicatorConfiguration(collections: [settings], target: try URLEndpoint(validating: url))
        config.continuous = continuous
        config.maxAttempts = continuous ? 0 : 2
        let replicator = try Replicator(validating: config)
        let statuses = replicator.statusChanges()
        replicator.start()
        for await status in statuses {
            print("\(status.activity): \(status.progress.completed) of \(status.progress.total)")
            fflush(nil)
            if status.activity == .stopped {
                if let error = status.error ?? status.firstRefusal { throw error }
                return
            }
        }
    }
}

/// Merges notes that were changed on two devices: title and text are those of the later change, and no tag and no attachment is lost. A note
/// that was changed on one device and deleted on the other stays.
struct Merging: ConflictResolverProtocol {
    func resolve(conflict: Conflict) -> Document? {
        guard let local = conflict.localDocument, let remote = conflict.remoteDocument else {
            return conflict.localDocument ?? conflict.remoteDocument
        }
        let isLocalNewer = local.date(forKey: "changed") ?? .distantPast > remote.date(forKey: "changed") ?? .distantPast
        let (newer, older) = isLocalNewer ? (local, remote) : (remote, local)
        let merged = newer.toMutable()
        let tags = merged.array(forKey: "tags")
        for tag in older.array(forKey: "tags")?.compactMap({ $0 as? String }) ?? [] {
            if tags?.contains(where: { $0 as? String == tag }) == false { tags?.addString(tag) }
        }
        let files = merged.dictionary(forKey: "files")
        for (name, file) in older.dictionary(forKey: "files")?.toDictionary() ?? [:] where files?.contains(key: name) == false {
            files?.setValue(file, forKey: name)
        }
        return merged
    }
}
#endif
