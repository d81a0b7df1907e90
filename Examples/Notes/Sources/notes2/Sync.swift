#if SYNC
import ArgumentParser
import CouchbaseLiteSwift

struct Sync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Syncs the notes with a server, such as `cblite serve`.")
    @OptionGroup var place: Place
    @Argument(help: "The URL, such as ws://localhost:4984/notes.") var url: String

    func run() async throws {
        guard let url = URL(string: url) else { throw ValidationError("\"\(url)\" is not a URL.") }
        let notebook = try place.open()
        var settings = CollectionConfiguration(collection: notebook.notes.collection)
        settings.conflictResolver = ConflictResolver.fieldByField
        let config = ReplicatorConfiguration(collections: [settings], target: try URLEndpoint(validating: url))
        config.maxAttempts = 2
        let report = try await Replicator(validating: config).run()
        print("\(report.pushed.count) sent, \(report.pulled.count) received")
    }
}
#endif
