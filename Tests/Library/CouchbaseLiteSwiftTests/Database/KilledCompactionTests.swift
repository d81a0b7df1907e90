import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Processes killed during compaction")
struct KilledCompactionTests {
    @Test("every document keeps its blob when a process is killed during compaction")
    func killed() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let folder = try DatabaseFolder()
        let writer = try ProcessRunner(product: "DatabaseWriter")
        for round in 0..<25 {
            let process = try writer.start([folder.path, "db", "compact", "\(round)"])
            _ = process.waitForOutput(lines: Int.random(in: 1...8, using: &generator))
            usleep(UInt32.random(in: 0...3000, using: &generator))
            process.kill()
            process.waitUntilExit()
            let database = try folder.open()
            for number in 0..<20 {
                guard let document = database.document(withID: "doc\(number)") else { continue }
                let content = document.blob(forKey: "blob")?.content.map { String(decoding: $0, as: UTF8.self) }
                #expect(content != nil && content == document.string(forKey: "text"), "seed \(seed), round \(round): \(number)")
            }
            try database.performMaintenance(type: .integrityCheck)
        }
        let database = try folder.open()
        try database.performMaintenance(type: .compact)
        #expect(database.count > 0)
        try database.close()
        #expect(try folder.problems() == [], "seed \(seed)")
    }
}
