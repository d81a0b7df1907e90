import Foundation
import SQLiteEngine
import Synchronization
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Replacing a bundle")
struct BundleReplacementTests {
    private let directory: TemporaryDirectory
    private let bundle: BundlePath

    init() throws {
        directory = try TemporaryDirectory()
        bundle = BundlePath(directory.path("db.cblite2"))
        try make(bundle, "old")
    }

    /// Makes a directory with one file, nested as blobs are.
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

    private func unsupported(_: String, _: String) -> Bool {
        errno = EINVAL
        return false
    }

    @Test("puts the whole new one in its place, and leaves nothing else behind")
    func installing() throws {
        let replacement = try BundleReplacement(of: bundle)
        try make(replacement.unfinished, "new")
        #expect(try files == old + ["db.cblite2_TEMP/Attachments/new"])
        try replacement.install()
        #expect(try files == new)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["db.cblite2"])
    }

    @Test("is done in two steps where directories cannot be exchanged")
    func twoSteps() throws {
        let replacement = try BundleReplacement(of: bundle)
        try make(replacement.unfinished, "new")
        try replacement.install(exchange: unsupported)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["db.cblite2"])
        #expect(try files == new)
    }

    @Test("fails with the system's error, and the old one stays")
    func failing() throws {
        func attempt() throws {
            let replacement = try BundleReplacement(of: bundle)
            try make(replacement.unfinished, "new")
            try replacement.install { _, _ in
                errno = EIO
                return false
            }
        }
        #expect(throws: StoreError.system(path: bundle.directory, code: EIO)) { try attempt() }
        #expect(try files == old)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["db.cblite2"])
    }

    @Test("that is given up leaves the old one as it was")
    func givenUp() throws {
        do {
            let replacement = try BundleReplacement(of: bundle)
            try make(replacement.unfinished, "new")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["db.cblite2"])
        #expect(try files == old)
    }

    @Test("begins with an empty directory, whatever an earlier attempt has left")
    func leftOver() throws {
        try make(bundle.unfinished, "stale")
        let replacement = try BundleReplacement(of: bundle)
        #expect(try files == old)
        try make(replacement.unfinished, "new")
        try replacement.install()
        #expect(try files == new)
    }

    @Test("keeps others from doing the same, and from cleaning up")
    func locked() throws {
        let replacement = try BundleReplacement(of: bundle)
        try make(replacement.unfinished, "new")
        #expect(throws: StoreError.locked(path: bundle.directory)) { _ = try BundleReplacement(of: bundle) }
        BundleReplacement.removeLeftOvers(of: bundle)
        #expect(try files == old + ["db.cblite2_TEMP/Attachments/new"])
        try replacement.install()
        #expect(try files == new)
    }

    @Test("that was interrupted is cleaned up when the database is opened for writing, not for reading")
    func interrupted() throws {
        let database = try TestDatabase()
        try database.save("a", "{}")
        try make(database.path.unfinished, "stale")
        try make(database.path.setAside, "older")
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        try database.reopen(options: options)
        let names = ["test.cblite2", "test.cblite2_OLD", "test.cblite2_TEMP"]
        #expect(try FileManager.default.contentsOfDirectory(atPath: database.directory.url.path).sorted() == names)
        try database.reopen()
        #expect(try FileManager.default.contentsOfDirectory(atPath: database.directory.url.path) == ["test.cblite2"])
        #expect(try database.json("a") == "{}")
        try database.checkAndClose()
    }

    @Test("that was interrupted between the two steps is taken back", arguments: [false, true])
    func setAside(_ isReadOnly: Bool) throws {
        let database = try TestDatabase()
        try database.save("a", "{}")
        try database.close()
        try FileManager.default.moveItem(atPath: database.path.directory, toPath: database.path.setAside.directory)
        try make(database.path.unfinished, "new")
        var options = DatabaseFile.Options()
        options.isReadOnly = isReadOnly
        try database.reopen(options: options)
        #expect(try database.json("a") == "{}")
    }

    @Test("is waited for by whoever opens the database, and then the new one is opened")
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
        try replacing.whileAlone {
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
