#if Replication
import SyncCore
import DocumentStore
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift
@testable import Replication

@Suite("Replicator status and document notifications", .ownThreads)
struct ReplicatorReportTests {
    private func ended(_ count: Int, isPush: Bool = false, from first: Int = 0) -> SessionReport {
        .documents(
            (first..<first + count).map {
                EndedDocument(collection: .default, documentID: "d\($0)", isPush: isPush)
            }
        )
    }

    @Test("progress is reported at most every 200 ms, and a new activity level at once")
    func throttle() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.open()
        for units in 1...5 {
            try driven.report(.status(SessionStatus(completedDocuments: UInt64(units), totalDocuments: 10)))
        }
        #expect(driven.replicator.status.progress == Replicator.Progress(completed: 5, total: 10))
        #expect(driven.statuses.all.map(\.progress.completed) == [0, 0])
        driven.advance(by: 200)
        #expect(driven.statuses.all.map(\.progress.completed) == [0, 0, 5])
        try driven.report(.status(SessionStatus(completedDocuments: 6, totalDocuments: 10)))
        // Another level is reported at once.
        try driven.report(.status(SessionStatus(isBusy: false, completedDocuments: 10, totalDocuments: 10)))
        #expect(driven.statuses.all.map(\.progress.completed) == [0, 0, 5, 10])
        #expect(driven.statuses.all.last?.activity == .idle)
        driven.advance(by: 1000)
        #expect(driven.statuses.all.count == 4)
    }

    @Test("progress is reported at once if no status was reported recently")
    func progressAfterSilence() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.open()
        driven.advance(by: 1000)
        try driven.report(.status(SessionStatus(completedDocuments: 3, totalDocuments: 10)))
        #expect(driven.statuses.all.map(\.progress.completed) == [0, 0, 3])
        #expect(driven.clock.appointments.isEmpty)
    }

    @Test("the estimated number of documents counts in the total of the progress until the estimate is zero")
    func estimate() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.open()
        driven.advance(by: 1000)
        var status = SessionStatus(completedDocuments: 3, totalDocuments: 10)
        status.estimatedDocuments = 990
        try driven.report(.status(status))
        #expect(driven.replicator.status.progress == Replicator.Progress(completed: 3, total: 1000))
        status.estimatedDocuments = 0
        try driven.report(.status(status))
        #expect(driven.replicator.status.progress == Replicator.Progress(completed: 3, total: 10))
    }

    @Test("the status counts the refused documents of all connections of a run, with the first reason, and not those that are tried again")
    func refused() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.open()
        var status = SessionStatus()
        (status.counts.refused, status.counts.postponed, status.counts.pushed) = (2, 3, 1)
        status.firstRefusal = SyncError(.webSocket, 403, "no")
        try driven.report(.status(status))
        #expect(driven.replicator.status.refusedCount == 5 && driven.replicator.status.pushedCount == 1)
        try driven.end(SyncError(.webSocket, 503))
        driven.advance(by: 2000)
        try driven.open()
        try driven.report(.status(SessionStatus()))
        #expect(driven.replicator.status.refusedCount == 2)
        status.firstRefusal = SyncError(.webSocket, 413, "too large")
        try driven.report(.status(status))
        let end = driven.replicator.status
        #expect(end.refusedCount == 7 && end.pushedCount == 2 && end.error == nil)
        #expect(end.firstRefusal?.localizedDescription == "no" && (end.firstRefusal as NSError?)?.code == 10403)
        driven.stop()
        try driven.end(nil)
        driven.start()
        #expect(driven.replicator.status.refusedCount == 0 && driven.replicator.status.firstRefusal == nil)
    }

    @Test("documents are reported after 200 ms, grouped by direction")
    func documents() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.open()
        try driven.report(ended(2), ended(1, isPush: true, from: 2), ended(1, from: 3))
        #expect(driven.documents.all.isEmpty)
        driven.advance(by: 200)
        let notified = driven.documents.all
        #expect(notified.map(\.isPush) == [false, true])
        #expect(notified.map { $0.documents.map(\.id) } == [["d0", "d1", "d3"], ["d2"]])
        #expect(notified.allSatisfy { $0.replicator === driven.replicator })
    }

    @Test("events of one document are reported in order, whatever their directions")
    func orderOfDocument() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.open()
        // The document is pulled in conflict and resolved, the result is pushed, and the document is changed remotely again.
        try driven.report(ended(2, isPush: true, from: 10), ended(1), ended(1, isPush: true), ended(1), ended(1, from: 5))
        driven.advance(by: 200)
        let notified = driven.documents.all.flatMap { replication in
            replication.documents.map { "\(replication.isPush ? "push" : "pull") \($0.id)" }
        }
        #expect(notified == ["pull d0", "push d10", "push d11", "push d0", "pull d0", "pull d5"])
    }

    @Test("a hundred documents are reported at once")
    func manyDocuments() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.open()
        try driven.report(ended(99))
        #expect(driven.documents.all.isEmpty)
        try driven.report(ended(1, from: 99))
        #expect(driven.documents.all.map(\.documents.count) == [100])
        #expect(driven.clock.appointments.isEmpty)
    }

    @Test("document listeners are notified before change listeners get the stopped status")
    func order() throws {
        let driven = try DrivenReplicator()
        let received = Recorder<String>()
        let queue = DispatchQueue(label: "test.order")
        driven.replicator.addDocumentReplicationListener(withQueue: queue) { received.append("\($0.documents.count)") }
        driven.replicator.addChangeListener(withQueue: queue) { received.append("\($0.status.activity)") }
        driven.start()
        try driven.open()
        try driven.report(ended(3))
        try driven.end(nil)
        received.wait(forCount: 4)
        #expect(received.all == ["connecting", "busy", "3", "stopped"])
    }

    @Test("a replicated document has its collection, flags and error")
    func document() throws {
        let driven = try DrivenReplicator(continuous: true)
        driven.start()
        try driven.open()
        let id = try CollectionID(name: "c", scope: "s")
        try driven.report(
            .documents([
                EndedDocument(
                    collection: id,
                    documentID: "x",
                    isPush: true,
                    isDeleted: true,
                    isAccessRemoved: true,
                    error: SyncError(.http, 403, "no")
                )
            ])
        )
        driven.advance(by: 200)
        let document = try #require(driven.documents.all.first?.documents.first)
        #expect(document.id == "x")
        #expect(document.scope == "s")
        #expect(document.collection == "c")
        #expect(document.flags == [.deleted, .accessRemoved])
        let error = try #require(document.error as NSError?)
        #expect(error.domain == "CouchbaseLite")
        #expect(error.code == 10403)
        #expect(error.localizedDescription == "no")
    }

    @Test("a removed listener is not notified, whichever function removed it")
    func removing() throws {
        let driven = try DrivenReplicator()
        let received = Recorder<Int>()
        let queue = DispatchQueue(label: "test.removing")
        let first = driven.replicator.addChangeListener(withQueue: queue) { _ in received.append(1) }
        let second = driven.replicator.addChangeListener(withQueue: queue) { _ in received.append(2) }
        first.remove()
        driven.replicator.removeChangeListener(withToken: second)
        driven.start()
        queue.sync {}
        #expect(received.all.isEmpty)
        #expect(driven.notified == ["connecting"])
    }

    @Test("statusChanges() always yields the last status")
    func sequence() async throws {
        let driven = try DrivenReplicator()
        let statuses = driven.replicator.statusChanges()
        driven.start()
        try driven.open()
        try driven.end(nil)
        for await status in statuses {
            #expect(status.activity == .stopped)
            break
        }
    }

    @Test("documentReplications() yields every batch of documents")
    func documentSequence() async throws {
        let driven = try DrivenReplicator(continuous: true)
        let replications = driven.replicator.documentReplications()
        driven.start()
        try driven.open()
        try driven.report(ended(100))
        try driven.report(ended(100, from: 100))
        var ids: [String] = []
        for await replication in replications {
            ids += replication.documents.map(\.id)
            if ids.count == 200 { break }
        }
        #expect(ids == (0..<200).map { "d\($0)" })
    }
}
#endif
