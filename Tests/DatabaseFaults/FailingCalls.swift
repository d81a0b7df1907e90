import CFileFaults
import CouchbaseLiteSwift
import Foundation
import TestSupport

/// Lets one call of the operating system after the other fail, or the disk be full from one on, and looks that nothing is lost that was
/// acknowledged and that nothing else goes wrong.
struct FailingCalls {
    enum Failure: String, CaseIterable {
        /// One call fails with EIO; all others work.
        case one
        /// One call that needs room fails with ENOSPC, and all others after it.
        case diskFull
    }

    let workload: Workload

    /// How many calls the workload makes when none fails.
    func callCount() throws -> Int {
        let directory = try TemporaryDirectory(inMemory: true)
        ff_begin(directory.url.resolvingSymlinksInPath().path)
        defer { ff_end() }
        try workload.run(in: directory.url.resolvingSymlinksInPath().path) { _ in }
        return ff_calls()
    }

    /// What goes wrong when call number `call` fails; nil when nothing does.
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

    /// What a document may hold: what was acknowledged last, and what was refused since, which may have been done all the same.
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
            // After a failure the program tries again.
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
