import CouchbaseLiteSwift
import DocumentStore
import Foundation
import QueryEngine
import TestSupport
import Testing

/// Vector indexes of databases on which other processes work, or were killed (Vector search T-3, T-4, T-5, T-12).
@Suite("Vector indexes and processes")
struct VectorProcessTests {
    private let folder: DatabaseFolder
    private let writer: ProcessRunner

    init() throws {
        folder = try DatabaseFolder()
        writer = try ProcessRunner(product: "DatabaseWriter")
    }

    private let distance = "APPROX_VECTOR_DISTANCE(vector, [0, 0])"

    /// Checks that the index contains the documents, with the distances that they have.
    private func check(_ database: Database, _ hint: Comment) throws {
        guard try database.defaultCollection().indexes().contains("near") else { return }
        var wanted: [String: Double] = [:]
        for row in try database.createQuery("SELECT meta().id, n FROM _").execute() {
            let (x, y) = (row.int(at: 1) % 3 * 24, row.int(at: 1) / 3 % 3 * 24)
            wanted[row.string(at: 0) ?? ""] = Double(x * x + y * y)
        }
        var found: [String: Double] = [:]
        for row in try database.createQuery("SELECT meta().id, \(distance) FROM _ WHERE n >= 0 AND \(distance) >= 0").execute() {
            found[row.string(at: 0) ?? ""] = row.double(at: 1)
        }
        #expect(Set(found.keys) == Set(wanted.keys), hint)
        // Codes of 8 bits are that exact, because the components of other documents are not outside of those of the training.
        #expect(wanted.allSatisfy { abs((found[$0.key] ?? -1000) - $0.value) <= 1 + 0.05 * $0.value }, hint)
    }

    /// Checks the whole file, also the index.
    private func checkFile(_ hint: Comment) throws {
        var options = DatabaseFile.Options()
        options.supportQueries()
        let result = try BundleChecker.check(folder.path + "/db.cblite2", options: options)
        #expect(result.findings.map(\.description) == [], hint)
        #expect(try folder.problems() == [], hint)
    }

    @Test("an index is whole when processes are killed that write, create and train it")
    func killed() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        var open: Database?
        let rounds = 16
        for round in 0..<rounds {
            let process = try writer.start([folder.path, "db", "vectors", "\(generator.next())", "\(round * 1000)"])
            _ = process.waitForOutput(lines: Int.random(in: 1...40, using: &generator))
            usleep(UInt32.random(in: 0...5000, using: &generator))
            process.kill()
            let result = process.waitUntilExit()
            #expect(result.ending == .signalled(SIGKILL), "seed \(seed), round \(round): \(result.errorOutput)")
            let database = try open ?? folder.open()
            try check(database, "seed \(seed), round \(round)")
            // In some rounds the next process finds the file open in this one.
            open = round % 4 == 2 ? database : nil
            if open == nil {
                try database.close()
                if round % 8 == 7 || round == rounds - 1 { try checkFile("seed \(seed), round \(round)") }
            }
        }
    }

    @Test("two processes write, search, create and train one index at once")
    func together() throws {
        let seed = TestSeed.forThisTest()
        let database = try folder.open()
        let collection = try database.defaultCollection()
        try collection.createIndex(withName: "near", config: VectorIndexConfiguration(expression: "vector", dimensions: 2, centroids: 2))
        let processes = try (1...2).map {
            try writer.start([folder.path, "db", "vectors", "\(seed &+ UInt64($0))", "\($0 * 1000)", "60"])
        }
        try VectorTraining.$minimumVectors.withValue(20) {
            for number in 0..<60 {
                let document = MutableDocument(id: "d\(number)").setInt(number, forKey: "n")
                let vector = MutableArrayObject(data: [number % 3 * 24, number / 3 % 3 * 24])
                try collection.save(document: document.setArray(vector, forKey: "vector"))
                let rows = try database.createQuery("SELECT \(distance) AS d FROM _ ORDER BY d LIMIT 10").execute().map { $0.double(at: 0) }
                #expect(rows == rows.sorted(), "seed \(seed)")
            }
        }
        for process in processes {
            let result = process.waitUntilExit()
            #expect(result.ending == .exited(0), "seed \(seed): \(result.errorOutput)")
        }
        try check(database, "seed \(seed)")
        try collection.save(
            document: MutableDocument(id: "d999999").setInt(0, forKey: "n").setArray(MutableArrayObject(data: [0, 0]), forKey: "vector")
        )
        try check(database, "seed \(seed)")
        try database.close()
        try checkFile("seed \(seed)")
    }

    @Test("an encrypted file contains no vector, and its index answers as before under every key")
    func encrypted() throws {
        let marker: [Float] = [12345.678, -98765.43, 0.123_456_78]
        let bytes = marker.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { Array($0) } }
        func contains(_ path: String) -> Bool {
            let bundle = "\(path)/db.cblite2"
            // The log of an encrypted file has another name. The file in shared memory has no pages.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: bundle)) ?? []
            return names.contains { name in
                guard !name.hasSuffix("-shm"), let data = FileManager.default.contents(atPath: "\(bundle)/\(name)") else { return false }
                return data.range(of: Data(bytes)) != nil
            }
        }
        let database = try folder.open()
        let collection = try database.defaultCollection()
        var config = VectorIndexConfiguration(expression: "vector", dimensions: 3, centroids: 1)
        config.encoding = .none
        try collection.createIndex(withName: "near", config: config)
        func save(_ id: String, _ vector: [Float]) throws {
            let data = vector.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { Array($0) } }
            try collection.save(document: MutableDocument(id: id).setString(Data(data).base64EncodedString(), forKey: "vector"))
        }
        for number in 0..<40 { try save("d\(number)", [Float(number), 0, 0]) }
        try save("marked", marker)
        func answer() throws -> [String] {
            let distance = "APPROX_VECTOR_DISTANCE(vector, [3, 0, 0])"
            return try database.createQuery("SELECT meta().id, \(distance) AS d FROM _ ORDER BY d LIMIT 100").execute()
                .map { "\($0.string(at: 0) ?? "") \($0.double(at: 1))" }
        }
        let wanted = try answer()
        #expect(wanted.count == 41)
        #expect(contains(folder.path))
        for key in [EncryptionKey.password("first"), EncryptionKey.password("second")] {
            try database.changeEncryptionKey(key)
            #expect(try answer() == wanted)
            try save("marked", marker)
            #expect(!contains(folder.path))
        }
        try database.performMaintenance(type: .reindex)
        #expect(try answer() == wanted)
        #expect(!contains(folder.path))
        try database.changeEncryptionKey(nil)
        #expect(try answer() == wanted)
        try database.close()
        try checkFile("decrypted")
    }
}
