import CFileFaults
import CouchbaseLiteSwift
import Foundation
import TestSupport

/// Makes each system call fail in turn, or the disk be full from a call on, and checks that no acknowledged change is lost and that the
/// database is intact.
struct FailingCalls {
    enum Failure: String, CaseIterable {
        /// One call fails with EIO; all others succeed.
        case one
        /// One call that needs disk space fails with ENOSPC, and so do all such calls after it.
        case diskFull
    }

    let workload: Workload

    /// Returns the number of calls of the workload if none fails.
    func callCount() throws -> Int {
        let directory = try TemporaryDirectory(inMemory: true)
        ff_begin(directory.url.resolvingSymlinksInPath().path)
        defer { ff_end() }
        try workload.run(in: directory.url.resolvingSymlinksInPath().path) { _ in }
        return ff_calls()
    }

    /// Returns the problem after call number `call` has failed; `nil` if there is none.
    func problem(_ failure: Failure, call: Int) throws -> String? {
        let directory = try TemporaryDirectory(inMemory: true)
        let path = directory.url.resolvingSymlinksInPath().path
        ff_begin(path)
        defer { ff_end() }
        switch failure {
        case .one: ff_fail(call, EIO, 0, 0)
        case .diskFull: ff_fail(call, ENOSPC, 1, 1)
        }
        var possible = Possible()
        runDespiteFailures(path, &possible)
        ff_end()
        do {
            return try check(path, possible)
        } catch {
            return "\(failure.rawValue) \(call): \(error)"
        }
    }

    /// The possible contents of the documents: the last acknowledged one, and those whose save has failed since, which may have been
    /// stored nevertheless. The same for the key.
    private struct Possible {
        var contents: [String: [Workload.Content?]] = [:]
        var keys: [EncryptionKey?] = []

        mutating func acknowledge(_ changes: [String: Workload.Content?]) {
            for (id, content) in changes { contents[id] = [content] }
        }

        mutating func refuse(_ changes: [String: Workload.Content?]) {
            for (id, content) in changes { contents[id, default: [nil]].append(content) }
        }
    }

    private func runDespiteFailures(_ path: String, _ possible: inout Possible) {
        var key = workload.key(-1)
        possible.keys = [key]
        var database = try? workload.open(in: path, key: key)
        for step in workload.steps {
            // Retries after a failure.
            if database == nil { database = try? workload.open(in: path, key: key) }
            guard let opened = database else { continue }
            switch step {
            case .save(let changes):
                do {
                    try Workload.save(changes, in: opened)
                    possible.acknowledge(changes)
                } catch {
                    possible.refuse(changes)
                }
            case .index(let centroids): try? Workload.createIndex(centroids, in: opened)
            case .compact: try? opened.performMaintenance(type: .compact)
            case .reopen:
                do {
                    try opened.close()
                    database = nil
                } catch {}
            case .changeKey(let number):
                let new = workload.key(number)
                do {
                    try opened.changeEncryptionKey(new)
                    key = new
                    possible.keys = [new]
                } catch {
                    possible.keys.append(new)
                }
            }
        }
        ff_fail(0, 0, 0, 0)
        try? database?.close()
    }

    private func check(_ path: String, _ possible: Possible) throws -> String? {
        var opened: Database?
        var failure: (any Error)?
        for key in possible.keys.reversed() where opened == nil {
            do {
                opened = try workload.open(in: path, key: key)
            } catch {
                failure = error
            }
        }
        guard let database = opened else { throw failure ?? Broken("it cannot be opened") }
        defer { try? database.close() }
        try database.performMaintenance(type: .integrityCheck)
        let state = try Workload.state(of: database)
        for (id, contents) in possible.contents where !contents.contains(state[id]) {
            throw Broken("\(id) holds neither what was acknowledged nor what was refused")
        }
        return nil
    }
}
