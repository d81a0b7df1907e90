import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

/// Every acknowledged save or batch must be kept when the process is killed, which can happen on a phone at any time. Therefore a
/// writing process is killed repeatedly, on one bundle that grows.
@Suite("Killed processes")
struct KilledProcessTests {
    /// The changes that the process has acknowledged, as far as its lines were read.
    private struct Acknowledged {
        var singles: Set<Int> = []
        var updated: Set<Int> = []
        var deleted: Set<Int> = []
        var batches: [Int: Int] = [:]

        mutating func note(_ line: String) throws {
            let words = line.split(separator: " ")
            guard words.first != "open" else { return }
            let number = try #require(words.count > 1 ? Int(words[1]) : nil, "line \"\(line)\"")
            switch words[0] {
            case "saved": singles.insert(number)
            case "updated": updated.insert(number)
            case "deleted": deleted.insert(number)
            case "batch": batches[number] = try #require(words.count == 3 ? Int(words[2]) : nil)
            default: Issue.record("line \"\(line)\"")
            }
        }
    }

    private static let rounds = 220
    /// The numbers of one round: more than the process can use.
    private static let numbersPerRound = 10_000

    @Test("a killed process loses no acknowledged change and leaves no incomplete batch")
    func killed() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let folder = try DatabaseFolder()
        let writer = try ProcessRunner(product: "DatabaseWriter")
        var all = Acknowledged()
        var open: Database?
        for round in 0..<Self.rounds {
            let first = round * Self.numbersPerRound
            let process = try writer.start([folder.path, "db", "\(generator.next())", "\(first)"])
            // The process is sometimes killed while it opens the database, and mostly after some writes.
            let lines = round % 11 == 0 ? 0 : Int.random(in: 1...12, using: &generator)
            _ = process.waitForOutput(lines: lines)
            usleep(UInt32.random(in: 0...(lines == 0 ? 20_000 : 700), using: &generator))
            process.kill()
            let result = process.waitUntilExit()
            #expect(result.ending == .signalled(SIGKILL), "seed \(seed), round \(round): \(result.errorOutput)")
            // All printed lines count, also those that are read now; a last line without a line end is incomplete.
            var acknowledged = Acknowledged()
            for line in process.waitForOutput(lines: .max) { try acknowledged.note(line) }
            all.singles.formUnion(acknowledged.singles)
            all.updated.formUnion(acknowledged.updated)
            all.deleted.formUnion(acknowledged.deleted)
            all.batches.merge(acknowledged.batches) { $1 }
            // The changes of this round are checked now; all changes and the consistency of the file are checked in some rounds.
            let isThorough = round % 44 == 43 || round == Self.rounds - 1
            let database = try open ?? folder.open()
            try check(isThorough ? all : acknowledged, database, "seed \(seed), round \(round)")
            // In some rounds the next process finds the file open in this one, with the log of the killed one.
            open = round % 4 == 2 ? database : nil
            if isThorough {
                try database.close()
                #expect(try folder.problems() == [], "seed \(seed), round \(round)")
            }
        }
        #expect(all.singles.count > Self.rounds)
        #expect(all.batches.count > Self.rounds / 4)
    }

    private func check(_ acknowledged: Acknowledged, _ database: Database, _ hint: Comment) throws {
        func isStored(_ written: WrittenDocument) -> Bool {
            guard let document = database.document(withID: written.id) else { return false }
            return document.string(forKey: "text") == written.text && document.string(forKey: written.key) == written.id
        }
        for number in acknowledged.singles { #expect(isStored(.single(number)), "\(hint): \(number)") }
        for number in acknowledged.updated {
            #expect(isStored(.single(number)), "\(hint): \(number)")
            #expect(database["single-\(number)"]["updated"].int == number, "\(hint): update of \(number)")
        }
        for number in acknowledged.deleted { #expect(!database["single-\(number)"].exists, "\(hint): \(number)") }
        for (number, size) in acknowledged.batches {
            for member in 0..<size {
                #expect(isStored(.member(member, of: size, batch: number)), "\(hint): \(number), \(member)")
            }
        }
        try checkLastBatch(in: database, acknowledged, hint)
    }

    /// No line was printed for the batch during which the process may have been killed; its first document shows whether it was stored.
    private func checkLastBatch(in database: Database, _ acknowledged: Acknowledged, _ hint: Comment) throws {
        let numbers = acknowledged.singles.union(acknowledged.updated).union(acknowledged.deleted)
            .union(acknowledged.batches.keys)
        guard let last = numbers.max() else { return }
        for next in [last + 1, last + 2] {
            let members = (0..<20).compactMap { database.document(withID: "batch-\(next)-\($0)") }
            guard !members.isEmpty else { continue }
            #expect(members.allSatisfy { $0.int(forKey: "size") == members.count }, "\(hint): half a batch \(next)")
        }
    }
}
