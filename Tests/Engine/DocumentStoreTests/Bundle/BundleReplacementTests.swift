import Foundation
import SQLiteEngine
import Synchronization
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Bundle replacement")
struct BundleReplacementTests {
    private let directory: TemporaryDirectory
    private let bundle: BundlePath

    init() throws {
        directory = try TemporaryDirectory()
        bundle = BundlePath(directory.path("db.cblite2"))
        try make(bundle, "old")
    }

    /// Creates a directory with one file, nested like blobs.
    private func make(_ bundle: BundlePath, _ content: String) throws {
        try FileManager.default.createDirectory(atPath: bundle.attachments, withIntermediateDirectories: true)
        try Data(content.utf8).write(to: URL(fileURLWithPath: bundle.attachments + "/" + content))
    }

    /// The names of all files, below the directory of the test.
    private var files: [String] {
        get throws {
            try FileManager.default.subpathsOfDirectory(atPath: directory.url.path).filter {
                !$0.hasSuffix("Attachments")
            }
            .filter { $0.contains("/") }.sorted()
        }
    }

    private let old = ["db.cblite2/Attachments/old"]
    private let new = ["db.cblite2/Attachments/new"]

    /// The system calls of a system that cannot exchange directories.
    private var twoStepCalls: BundleReplacement.Calls {
        var calls = BundleReplacement.Calls()
        calls.exchange = { _, _ in
            errno = EINVAL
            return false
        }
        return calls
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() }
    }

    @Test("replacing a bundle installs the new one and leaves no other files")
    func installing() throws {
        let replacement = try BundleReplacement(of: bundle)
        try make(replacement.unfinished, "new")
        #expect(try files.count { $0.hasPrefix(".db.cblite2.replacing-") && $0.hasSuffix("/new/Attachments/new") } == 1)
        #expect(try files.contains(old[0]))
        try replacement.install()
        #expect(try files == new)
        #expect(try names == ["db.cblite2"])
    }

    @Test("a path is divided at every slash, also next to combining characters")
    func paths() {
        #expect(Array(BundlePath("/a/\u{301}b.cblite2").name.utf8) == Array("\u{301}b.cblite2".utf8))
        #expect(Array(BundlePath("/a\u{600}/").directory.utf8) == Array("/a\u{600}".utf8))
    }

    @Test("a bundle is replaced in two steps where directories cannot be exchanged")
    func twoSteps() throws {
        let replacement = try BundleReplacement(of: bundle, calls: twoStepCalls)
        try make(replacement.unfinished, "new")
        try replacement.install()
        #expect(try names == ["db.cblite2"])
        #expect(try files == new)
    }

    @Test(
        "a leftover directory with a missing or incomplete marker is removed, unless it contains other files",
        arguments: [nil, "", "CouchbaseLite", "CouchbaseLiteSwift replacement of a bundle, 1\n"]
    )
    func unmarked(marker: String?) throws {
        for (number, other) in [nil, "mine"].enumerated() {
            let path = bundle.parent + "/.db.cblite2.replacing-000000000000000\(number)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            if let marker { try Data(marker.utf8).write(to: URL(fileURLWithPath: path + "/replacement")) }
            if let other { try Data().write(to: URL(fileURLWithPath: path + "/" + other)) }
        }
        BundleReplacement.recover(bundle)
        #expect(try names == [".db.cblite2.replacing-0000000000000001", "db.cblite2"])
        let left = bundle.parent + "/.db.cblite2.replacing-0000000000000001"
        let expected = marker == nil ? ["mine"] : ["mine", "replacement"]
        #expect(try FileManager.default.contentsOfDirectory(atPath: left).sorted() == expected)
    }

    @Test("a new replacement removes what interrupted ones have left, but not one in progress")
    func leftovers() throws {
        let leftover = bundle.parent + "/.db.cblite2.replacing-0123456789abcdef"
        try FileManager.default.createDirectory(atPath: leftover + "/new/db.cblite2", withIntermediateDirectories: true)
        try Data("half".utf8).write(to: URL(fileURLWithPath: leftover + "/new/db.cblite2/db.sqlite3"))
        try Data("CouchbaseLiteSwift replacement of a bundle, 1\ndb.cblite2".utf8).write(
            to: URL(fileURLWithPath: leftover + "/replacement")
        )
        let first = try BundleReplacement(of: bundle)
        #expect(!FileManager.default.fileExists(atPath: leftover))
        let second = try BundleReplacement(of: bundle)
        #expect(try names.count == 3)
        withExtendedLifetime((first, second)) {}
    }

    @Test("a failed replacement throws the system's error and keeps the old bundle")
    func failing() throws {
        func attempt() throws {
            var calls = BundleReplacement.Calls()
            calls.exchange = { _, _ in
                errno = EIO
                return false
            }
            let replacement = try BundleReplacement(of: bundle, calls: calls)
            try make(replacement.unfinished, "new")
            try replacement.install()
        }
        #expect(throws: StoreError.system(path: bundle.directory, code: EIO)) { try attempt() }
        #expect(try files == old)
        #expect(try names == ["db.cblite2"])
    }

    @Test("the old bundle is put back if the new one cannot be opened in its place", arguments: [false, true])
    func failingUse(isExchanging: Bool) throws {
        let failure = StoreError.system(path: bundle.directory, code: EMFILE)
        func attempt() throws {
            let replacement = try BundleReplacement(of: bundle, calls: isExchanging ? .init() : twoStepCalls)
            try make(replacement.unfinished, "new")
            try replacement.install {
                #expect(try FileManager.default.contentsOfDirectory(atPath: bundle.attachments) == ["new"])
                throw failure
            }
        }
        #expect(throws: failure) { try attempt() }
        #expect(try files == old)
    }

    @Test("the old bundle is kept, whichever system call of the replacement fails")
    func failingCalls() throws {
        for isExchanging in [true, false] {
            var number = 0
            var isInstalled = false
            while !isInstalled {
                let counter = CallCounter(failing: number)
                var calls = isExchanging ? BundleReplacement.Calls() : twoStepCalls
                let (rename, exchange) = (calls.rename, calls.exchange)
                calls.rename = { counter.passes() && rename($0, $1) }
                calls.synchronize = { counter.passes() && DocumentStore.synchronize($0) }
                if isExchanging { calls.exchange = { counter.passes() && exchange($0, $1) } }
                do {
                    let replacement = try BundleReplacement(of: bundle, calls: calls)
                    try make(replacement.unfinished, "new")
                    try replacement.install()
                    isInstalled = true
                } catch let error as StoreError {
                    guard case .system(_, EIO) = error else { throw error }
                    #expect(try files == old, "call \(number)")
                }
                #expect(try names == ["db.cblite2"], "call \(number)")
                number += 1
            }
            // The synchronizations of the files and of both parent directories, and the step or steps.
            #expect(number > (isExchanging ? 5 : 8))
            #expect(try files == new)
            try FileManager.default.removeItem(atPath: bundle.directory)
            try make(bundle, "old")
        }
    }

    @Test("a cancelled replacement leaves the old bundle unchanged")
    func givenUp() throws {
        do {
            let replacement = try BundleReplacement(of: bundle)
            try make(replacement.unfinished, "new")
        }
        #expect(try names == ["db.cblite2"])
        #expect(try files == old)
    }

    @Test("a bundle whose name has the maximum length can be replaced")
    func longName() throws {
        let path = BundlePath(directory.path(String(repeating: "ä", count: 123) + ".cblite2"))
        try make(path, "old")
        let replacement = try BundleReplacement(of: path)
        try make(replacement.unfinished, "new")
        #expect(ReplacementDirectory.all(of: path).count == 1)
        #expect(ReplacementDirectory.all(of: bundle) == [])
        try replacement.install()
        #expect(FileManager.default.fileExists(atPath: path.attachments + "/new"))
    }

    // MARK: After a crash

    @Test("a replacement in progress is not removed as a leftover")
    func inProgress() throws {
        let replacement = try BundleReplacement(of: bundle)
        try make(replacement.unfinished, "new")
        BundleReplacement.recover(bundle)
        try replacement.install()
        #expect(try files == new)
    }

    @Test("a replacement interrupted before any system call leaves the old or the new database, without leftovers")
    func cutOff() throws {
        for isExchanging in [true, false] {
            let database = try TestDatabase()
            try database.save("a", #"{"is":"old"}"#)
            try database.close()
            let images = try TemporaryDirectory()
            let parent = database.directory.url.path
            let count = CallCounter(failing: .max)
            /// Keeps the files that a process leaves if it is killed at this point.
            func keep() {
                try? FileManager.default.copyItem(atPath: parent, toPath: images.path("\(count.next())"))
            }
            var calls = isExchanging ? BundleReplacement.Calls() : twoStepCalls
            let (rename, exchange) = (calls.rename, calls.exchange)
            calls.rename = {
                keep()
                return rename($0, $1)
            }
            calls.synchronize = {
                keep()
                return DocumentStore.synchronize($0)
            }
            if isExchanging {
                calls.exchange = {
                    keep()
                    return exchange($0, $1)
                }
            }
            let replacement = try BundleReplacement(of: database.path, calls: calls)
            keep()
            try FileManager.default.copyItem(atPath: database.path.sqliteFile, toPath: replacement.unfinished.sqliteFile)
            try make(replacement.unfinished, "new")
            try replacement.install()
            keep()
            #expect(count.count > 8)
            for number in 0..<count.count {
                let image = images.path("\(number)")
                let path = BundlePath(image + "/test.cblite2")
                // An opening for reading changes nothing.
                let before = try FileManager.default.subpathsOfDirectory(atPath: image).sorted()
                var reading = DatabaseFile.Options()
                reading.isReadOnly = true
                if let file = try? DatabaseRegistry.open(path.directory, options: reading) {
                    try DatabaseRegistry.close(file)
                }
                #expect(try FileManager.default.subpathsOfDirectory(atPath: image).sorted() == before, "call \(number)")
                let file = try DatabaseRegistry.open(path.directory)
                #expect(try file.collection(.default)?.document("a") != nil, "call \(number)")
                try DatabaseRegistry.close(file)
                #expect(try FileManager.default.contentsOfDirectory(atPath: image) == ["test.cblite2"], "call \(number)")
            }
        }
    }

    @Test("an old bundle that was set aside is kept while another database has its place, and restored when there is none")
    func setAsideBesideAnother() throws {
        let replacement = try BundleReplacement(of: bundle, calls: twoStepCalls)
        try make(replacement.unfinished, "new")
        let left = try #require(ReplacementDirectory.all(of: bundle).first)
        let copy = ReplacementDirectory(path: directory.path(".copy"))
        try FileManager.default.copyItem(atPath: left.path, toPath: copy.path)
        try FileManager.default.copyItem(atPath: bundle.directory, toPath: copy.setAside.directory)
        try replacement.install()
        // As if the process had been killed after the first step, and another program had created the present database.
        try FileManager.default.moveItem(atPath: copy.path, toPath: left.path)
        BundleReplacement.recover(bundle)
        #expect(try files.contains { $0.hasSuffix("/set-aside/Attachments/old") })
        try FileManager.default.removeItem(atPath: bundle.directory)
        BundleReplacement.recover(bundle)
        #expect(try files == old)
    }

    // MARK: Files of other programs

    @Test(
        "opening, rekeying, copying and deleting a database do not touch files next to it, whatever their names",
        arguments: [nil, EncryptionSecret.test(1)]
    )
    func neighbours(_ key: EncryptionSecret?) throws {
        var options = DatabaseFile.Options()
        options.key = key
        let database = try TestDatabase(options: options)
        try database.save("a", "{}")
        try database.close()
        let parent = database.directory.url.path
        var neighbours = ["test.cblite2_OLD", "test.cblite2_TEMP", "test.cblite2.bak", "test.cblite2~"]
        // Names like those of leftover directories: some only have such a name, and others belong to another bundle.
        neighbours += [".test.cblite2.replacing-0123456789abcdef", ".test.cblite2.replacing-mine"]
        for name in neighbours {
            try FileManager.default.copyItem(atPath: database.path.directory, toPath: parent + "/" + name)
        }
        let foreign = ".test.cblite2.replacing-00000000000000ff"
        try make(BundlePath(parent + "/" + foreign + "/new"), "new")
        try Data("CouchbaseLiteSwift replacement of a bundle, 1\nother.cblite2".utf8)
            .write(to: URL(fileURLWithPath: parent + "/" + foreign + "/replacement"))
        neighbours.append(foreign)
        func state() throws -> [String: Data] {
            var state: [String: Data] = [:]
            for path in try FileManager.default.subpathsOfDirectory(atPath: parent)
            where neighbours.contains(where: { path.hasPrefix($0 + "/") }) {
                state[path] = FileManager.default.contents(atPath: parent + "/" + path) ?? Data()
            }
            return state
        }
        let before = try state()
        #expect(before.count > 12)
        // The database is opened, written to, opened for reading, copied, rekeyed, deleted and created again.
        try database.reopen(options: options)
        try database.save("b", "{}")
        try DatabaseRegistry.changeKey(of: database.file, to: .test(2))
        try DatabaseRegistry.changeKey(of: database.file, to: key)
        try database.close()
        #expect(try state() == before)
        try DatabaseCopy.copy(database.path, to: BundlePath(parent + "/copy.cblite2"), options: options)
        try DatabaseRegistry.delete(database.path.directory)
        #expect(try state() == before)
        // No file is treated as belonging to the deleted database.
        var reading = options
        reading.isReadOnly = true
        #expect(throws: StoreError.missing(path: database.path.canonical.directory)) {
            try DatabaseRegistry.open(database.path.directory, options: reading)
        }
        #expect(try DatabaseRegistry.delete(database.path.directory) == false)
        let file = try DatabaseRegistry.open(database.path.directory, options: options)
        #expect(try file.collection(.default)?.count() == 0)
        try DatabaseRegistry.close(file)
        #expect(try state() == before)
    }

    @Test("upgrading a 1.x database does not touch the files next to it")
    func neighboursOfUpgrade() throws {
        let path = BundlePath(directory.path("legacy.cblite2"))
        try LegacyFile.make(at: path)
        for name in ["legacy.cblite2_TEMP", "legacy.cblite2_OLD"] {
            try FileManager.default.copyItem(atPath: path.directory, toPath: directory.path(name))
        }
        let before = try names
        try DatabaseRegistry.close(DatabaseRegistry.open(path.directory))
        #expect(try names == before)
    }

    @Test("opening a database waits for its replacement in progress, and then opens the new one")
    func waiting() throws {
        let new = try TestDatabase()
        try new.save("new", "{}")
        try new.close()
        let old = try TestDatabase()
        try old.close()
        let path = old.path.canonical
        let replacing = try Connection(path: path.sqliteFile, mode: .readWrite)
        _ = try replacing.scalar("SELECT count(*) FROM kv_default")
        let isOpening = DispatchSemaphore(value: 0)
        let isOpen = DispatchSemaphore(value: 0)
        let found = Mutex<Bool?>(nil)
        try replacing.withExclusiveAccess {
            Thread.detachNewThread {
                isOpening.signal()
                let file = try? DatabaseRegistry.open(path.directory)
                found.withLock { $0 = try? file?.collection(.default)?.document("new") != nil }
                if let file { try? DatabaseRegistry.close(file) }
                isOpen.signal()
            }
            isOpening.wait()
            let replacement = try BundleReplacement(of: path)
            try FileManager.default.copyItem(atPath: new.path.sqliteFile, toPath: replacement.unfinished.sqliteFile)
            try replacement.install()
        }
        try replacing.close()
        isOpen.wait()
        #expect(found.withLock { $0 } == true)
    }
}

/// Counts system calls, one of which fails.
private final class CallCounter: Sendable {
    private let failing: Int
    private let number = Mutex(0)

    init(failing: Int) {
        self.failing = failing
    }

    var count: Int { number.withLock { $0 } }

    /// The number of this call, from 0.
    func next() -> Int {
        number.withLock { number in
            defer { number += 1 }
            return number
        }
    }

    func passes() -> Bool {
        guard next() == failing else { return true }
        errno = EIO
        return false
    }
}
