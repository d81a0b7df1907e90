import Crypto
import DocumentStore
import Foundation
import TestSupport
import Testing

@testable import Backup

/// Backups whose checksums are right, but whose content is invalid: whoever writes one can compute checksums.
@Suite("Invalid backups")
struct HostileBackupTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("backup") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func write(sections: Int = 1, _ blocks: [(BlockKind, UInt64, [UInt8])]) throws {
        var header = BackupFormat.header
        header.replaceSubrange(12..<20, with: BackupFormat.sectionCount(sections))
        try Data(header).write(to: URL(fileURLWithPath: path))
        let descriptor = open(path, O_WRONLY | O_APPEND)
        defer { close(descriptor) }
        var writer = BlockWriter(descriptor: descriptor, path: path, after: Array(SHA256.hash(data: BackupFormat.header)))
        for (kind, position, bytes) in blocks { try writer.append(kind, at: position, bytes) }
    }

    private static func start(size: UInt64, incremental: Bool = false, time: Int64 = 1_800_000_000_000) -> (BlockKind, UInt64, [UInt8]) {
        let start = SectionStart(time: time, isIncremental: incremental, isEncrypted: false, databaseSize: size, name: "../x")
        return (.start, 0, (try? JSONEncoder().encode(start)).map { Array($0) } ?? [])
    }

    private static func end(blobs: Int = 0, bytes: UInt64 = 0, log: UInt64 = 0) -> (BlockKind, UInt64, [UInt8]) {
        (.end, 0, (try? JSONEncoder().encode(SectionEnd(logSize: log, blobs: blobs, blobBytes: bytes))).map { Array($0) } ?? [])
    }

    private static let page = [UInt8](repeating: 1, count: 4096)
    private static var digest: [UInt8] { page.withUnsafeBytes { Array(BackupFormat.chunkDigest($0)) } }

    @Test(
        "content that contradicts itself is a problem, and is not restored",
        arguments: [
            ("a database larger than the file can have", [start(size: 1 << 60), end()], "cannot be in this file"),
            ("pages that are missing", [start(size: 8192), (.database, 0, page), (.chunks, 0, digest), end()], "missing"),
            ("pages outside of the database", [start(size: 4096), (.database, 1 << 63, page), end()], "outside"),
            ("a position that is no multiple", [start(size: 4096), (.database, 1, page), end()], "outside"),
            ("a gap between pages", [start(size: 12288), (.database, 8192, page), end()], "missing"),
            (
                "digests of other pages", [start(size: 4096), (.database, 0, page), (.chunks, 0, [UInt8](repeating: 0, count: 16)), end()],
                "digests"
            ),
            ("digests from a huge number", [start(size: 4096), (.database, 0, page), (.chunks, .max, digest), end()], "digests"),
            ("a path as the name of a blob", [start(size: 0), (.blob, 0, Array("../../x.blob".utf8)), end()], "no name of a blob"),
            ("a name with a zero byte", [start(size: 0), (.blob, 0, Array("a\0b.blob".utf8)), end()], "no name of a blob"),
            ("content before its blob", [start(size: 0), (.content, 0, page), end()], "part of a blob is missing"),
            ("a blob that is named but missing", [start(size: 0), (.blobNames, 0, Array("abc.blob\n".utf8)), end(blobs: 1)], "missing"),
            ("a log that begins in the middle", [start(size: 0), (.log, 4096, page), end()], "part of the log is missing"),
            ("a wrong size of the log", [start(size: 0), end(log: 9)], "part of the log is missing"),
            ("two begins", [start(size: 0), start(size: 0), end()], "before the one before it has ended"),
            ("no begin", [(.database, 0, page), end()], "outside of a section"),
            ("an increment without a section before it", [start(size: 0, incremental: true), end()], "needs one before"),
            ("a begin that is no JSON", [(.start, 0, page), end()], "cannot be read"),
            ("an end that is no JSON", [start(size: 0), (.end, 0, page)], "cannot be read"),
            ("a time after the year 9999", [start(size: 0, time: .max), end()], "time of the section is invalid"),
            ("a time before 1970", [start(size: 0, time: -1), end()], "time of the section is invalid"),
            ("nothing", [], "0 are complete"),
        ]
    )
    fileprivate func invalid(name: String, blocks: [(BlockKind, UInt64, [UInt8])], message: String) throws {
        try write(blocks)
        let report = try Backup.verify(path)
        #expect(report.problems.contains { $0.contains(message) }, "\(report.problems)")
        #expect(throws: BackupError.self) { try Backup.restore(path, to: BundlePath(directory.path("x.cblite2"))) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")) == ["backup"])
    }

    @Test("a restored database with its blobs is at most 1100 times as large as the file")
    func ratio() throws {
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        let name = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=.blob"
        let contents = (0..<16).map { (BlockKind.content, UInt64($0) << 20, zeros) }
        try write(
            [Self.start(size: 0), (.blob, 0, Array(name.utf8))] + contents
                + [(.blobNames, 0, Array("\(name)\n".utf8)), Self.end(blobs: 1, bytes: 16 << 20)]
        )
        let section = try Backup.restore(path, to: BundlePath(directory.path("x.cblite2")))
        let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64)
        #expect(section.blobBytes == 16 << 20)
        #expect(section.databaseSize + section.blobBytes <= size * BackupFormat.maximumRatio)
    }

    @Test("random blocks neither trap nor hang")
    func random() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let blocks = (0..<Int.random(in: 1...12, using: &generator)).map { _ -> (BlockKind, UInt64, [UInt8]) in
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: return Self.start(size: UInt64.random(in: 0...3, using: &generator) * 4096, incremental: .random(using: &generator))
                case 1: return Self.end(blobs: Int.random(in: 0...2, using: &generator))
                default:
                    let kind = BlockKind(rawValue: UInt8.random(in: 1...8, using: &generator)) ?? .start
                    let positions: [UInt64] = [0, 1, 4096, 8192, .max, 1 << 63]
                    let size = Int.random(in: 0...5000, using: &generator)
                    return (
                        kind, positions.randomElement(using: &generator) ?? 0,
                        (0..<size).map { _ in .random(in: 0...255, using: &generator) }
                    )
                }
            }
            try write(sections: Int.random(in: 0...2, using: &generator), blocks)
            _ = try? Backup.verify(path)
            let made = directory.path("made.cblite2")
            if (try? Backup.restore(path, to: BundlePath(made))) != nil { try FileManager.default.removeItem(atPath: made) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")) == ["backup"], "seed \(seed)")
    }

    @Test("random bytes after a header neither trap nor hang")
    func garbage() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var bytes = BackupFormat.header
            bytes.replaceSubrange(12..<20, with: BackupFormat.sectionCount(1))
            let mark = withUnsafeBytes(of: BackupFormat.blockMark.littleEndian) { Array($0) }
            if Bool.random(using: &generator) { bytes += mark }
            bytes += (0..<Int.random(in: 0...3000, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            #expect(try Backup.verify(path).problemCount > 0, "seed \(seed)")
        }
    }
}
