#if Replication
import CouchbaseLiteSwift
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("The guide to background work", .ownThreads)
struct BackgroundWorkGuideTests {
    let folder: DatabaseFolder
    let server: ServedDatabase
    let notes: Database

    init() throws {
        folder = try DatabaseFolder()
        server = try ServedDatabase(folder)
        notes = try folder.open("client")
    }

    @Test("the function of the guide to background work syncs once")
    func syncs() async throws {
        try server.collection.save(document: MutableDocument(id: "note-1"))
        try await syncOnce(notes, with: server.url)
        #expect(try notes.defaultCollection().document(id: "note-1") != nil)
    }

    @Test("the function of the guide to background work reports an error")
    func fails() async throws {
        let url = try #require(URL(string: server.url.absoluteString + "-missing"))
        await #expect(throws: (any Error).self) { try await syncOnce(notes, with: url) }
    }

    @Test("the function of the guide to background work ends when its task is cancelled")
    func isCancelled() async throws {
        let task = Task { [notes, url = server.url] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await syncOnce(notes, with: url)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try notes.close()
    }
}

func syncOnce(_ notes: Database, with url: URL) async throws {
    let config = try ReplicatorConfiguration(
        collections: [CollectionConfiguration(collection: notes.defaultCollection())],
        target: URLEndpoint(url: url)
    )
    config.maxAttempts = 1
    let report = try await Replicator(config: config).run()
    for refusal in report.refused.first {
        print(refusal.id, "was refused:", refusal.error.localizedDescription)
    }
}

#if canImport(SwiftUI) && canImport(BackgroundTasks)
import BackgroundTasks
import SwiftUI

struct NotesApp: App {
    let notes = try? Database(name: "notes")
    let server = URL(string: "wss://example.com/notes")

    var body: some Scene {
        WindowGroup { Text("Notes") }
            .backgroundTask(.appRefresh("com.example.notes.sync")) {
                requestSync()
                guard let notes, let server else { return }
                try? await syncOnce(notes, with: server)
            }
    }
}

func requestSync() {
    let request = BGAppRefreshTaskRequest(identifier: "com.example.notes.sync")
    request.earliestBeginDate = Date(timeIntervalSinceNow: 30 * 60)
    try? BGTaskScheduler.shared.submit(request)
}
#endif

#if canImport(UIKit)
import UIKit

func makeDatabaseFolder(at folder: URL) throws {
    try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: true,
        attributes: [
            .protectionKey: FileProtectionType.completeUntilFirstUserAuthentication
        ]
    )
}

@MainActor final class SharedNotes {
    private let config = DatabaseConfiguration()
    private(set) var database: Database?
    private var time = UIBackgroundTaskIdentifier.invalid

    /// `group` is the identifier of the app group.
    init?(group: String) {
        let folder = FileManager.default.containerURL(
            forSecurityApplicationGroupIdentifier: group
        )
        guard let folder else { return nil }
        config.directory = folder.path
    }

    /// For sceneWillEnterForeground(_:).
    func open() throws {
        guard database == nil else { return }
        database = try Database(name: "notes", config: config)
    }

    /// For sceneDidEnterBackground(_:).
    func close() {
        guard let closing = database else { return }
        database = nil
        // Without it, the app could be suspended before the database is closed.
        time = UIApplication.shared.beginBackgroundTask(withName: "Close notes") {
            self.endTime()
        }
        Task {
            _ = await Task.detached { try closing.close() }.result
            endTime()
        }
    }

    private func endTime() {
        UIApplication.shared.endBackgroundTask(time)
        time = .invalid
    }
}
#endif
#endif
