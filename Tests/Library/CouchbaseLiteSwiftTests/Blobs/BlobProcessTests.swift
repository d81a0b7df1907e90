import CouchbaseLiteSwift
import DocumentStore
import Foundation
import TestSupport
import Testing

/// Blobs and the documents that refer to them are written by different system calls. A process may be killed between them.
@Suite("Blobs in several processes")
struct BlobProcessTests {
    @Test("a killed process leaves no document without its blob, and compacting removes all leftover files")
    func killed() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let folder = try DatabaseFolder()
        let writer = try ProcessRunner(product: "DatabaseWriter")
        var saved: Set<Int> = []
        for round in 0..<40 {
            let process = try writer.start([folder.path, "db", "blobs", "\(generator.next())", "\(round * 10_000)"])
            _ = process.waitForOutput(lines: Int.random(in: 1...20, using: &generator))
            usleep(UInt32.random(in: 0...3000, using: &generator))
            process.kill()
            let result = process.waitUntilExit()
            #expect(result.ending == .signalled(SIGKILL), "seed \(seed), round \(round): \(result.errorOutput)")
            saved.formUnion(numbers("saved", process.waitForOutput(lines: .max)))
            guard round % 8 == 7 else { continue }
            let database = try folder.open()
            try check(saved, database, "seed \(seed), round \(round)")
            try database.performMaintenance(type: .compact)
            try check(saved, database, "seed \(seed), round \(round), compacted")
            try database.close()
            #expect(try folder.problems() == [], "seed \(seed), round \(round)")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.bundle().path + "/Attachments")
            #expect(files.allSatisfy { BlobDigest(fileName: $0) != nil }, "seed \(seed), round \(round): \(files)")
        }
        #expect(saved.count > 100)
    }

    @Test("compacting in one process keeps the blobs of documents that another process saves")
    func compactions() throws {
        let seed = TestSeed.forThisTest()
        let folder = try DatabaseFolder()
        let database = try folder.open()
        let process = try ProcessRunner(product: "DatabaseWriter").start([folder.path, "db", "blobs", "\(seed)", "0"])
        for round in 1...40 {
            #expect(process.waitForOutput(lines: round * 4).count >= round * 4)
            try database.performMaintenance(type: .compact)
        }
        process.kill()
        _ = process.waitUntilExit()
        try check(Set(numbers("saved", process.waitForOutput(lines: .max))), database, "seed \(seed)")
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test(
        "a large blob is written and read through streams with less than 8 MiB of memory",
        .enabled(if: PeakMemory.ofThisProcess != nil, "this system does not say how much memory was used")
    )
    func memory() throws {
        let folder = try DatabaseFolder()
        let size: UInt64 = 96 << 20
        let result = try ProcessRunner(product: "DatabaseWriter").run([folder.path, "db", "big-blob", "\(size)"])
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        let peaks = numbers("peak", result.output.split(separator: "\n").map(String.init), word: 1...2)
        #expect(peaks.count == 2)
        #expect(peaks[1] - peaks[0] < 8 << 20, "\(peaks)")
    }

    private func numbers(_ verb: String, _ lines: [String], word: ClosedRange<Int> = 1...1) -> [Int] {
        lines.flatMap { line -> [Int] in
            let words = line.split(separator: " ")
            guard words.first.map(String.init) == verb, words.count > word.upperBound else { return [] }
            return words[word].compactMap { Int($0) }
        }
    }

    private func check(_ saved: Set<Int>, _ database: Database, _ hint: Comment) throws {
        for number in saved {
            let blob = database.document(withID: "blob-\(number)")?["b"][0]["x"].blob
            #expect(blob?.content == GeneratedContent(ofBlob: number).data, "\(hint): \(number)")
        }
    }
}
