import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import TestSupport
import VectorSearch

/// Measures how much memory a trained vector index takes for each of its uses, and reports a line for each: `used USE BYTES`.
///
/// Does the same with few documents first, so that the code of the program is in memory.
func measureVectorMemory(_ directory: String, count: Int) throws {
    _ = try VectorMemory("\(directory)/small.cblite2").measure(count: 200)
    for (use, bytes) in try VectorMemory("\(directory)/large.cblite2").measure(count: count) { report("used \(use) \(bytes)") }
}

private struct VectorMemory {
    private static let dimensions = 512
    private static let indexName = "near"

    private let file: DatabaseFile
    private let collection: CollectionStore
    /// Vectors are parts of these numbers.
    private let noise: [Float]

    init(_ path: String) throws {
        var options = DatabaseFile.Options()
        options.supportQueries()
        options.worksInBackground = false
        // The page cache and the memory map are no memory of the index.
        options.maximumCacheSize = 256
        options.usesMemoryMap = false
        file = try DatabaseRegistry.open(path, options: options)
        collection = try file.createCollection(.default)
        var generator = SeededGenerator(seed: 1)
        noise = (0..<16 * Self.dimensions).map { _ in Float.random(in: 0..<1, using: &generator) }
    }

    func measure(count: Int) throws -> [(use: String, bytes: UInt64)] {
        defer { try? DatabaseRegistry.close(file) }
        for start in stride(from: 0, to: count, by: 100) { try save(start..<min(start + 100, count)) }
        return [
            ("create", try peak { try createIndex() }), ("search", try peak { try search() }),
            ("save", try peak { try save(count..<count + 1) }),
            // More than are kept outside of the cells.
            ("merge", try peak { try save(count + 1..<count + 601) }),
        ]
    }

    /// Returns by how much the memory of the process was larger during `body` than before.
    private func peak(_ body: () throws -> Void) throws -> UInt64 {
        PeakMemory.reset()
        let before = PeakMemory.ofThisProcess ?? 0
        try body()
        let after = PeakMemory.ofThisProcess ?? 0
        return max(before, after) - before
    }

    private func bytes<Result>(_ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let start = number * 37 % (15 * Self.dimensions)
        return try noise[start..<start + Self.dimensions].withUnsafeBytes(body)
    }

    private func save(_ numbers: Range<Int>) throws {
        try file.transaction { writer in
            for number in numbers {
                _ = try collection.save(DocumentSave("d\(number)", base: .latest), in: writer) { encoder in
                    encoder.beginDictionary()
                    encoder.writeKey("v")
                    bytes(number) { encoder.write(data: $0) }
                    encoder.endDictionary()
                    return false
                }
            }
        }
    }

    private func createIndex() throws {
        let options = VectorIndexOptions(dimensions: Self.dimensions, centroids: 4)
        try IndexRegistry(file).create(IndexDefinition(name: Self.indexName, kind: .vector(options), text: "v"), on: collection)
        guard try IndexRegistry(file).vectorState(of: Self.indexName, on: collection)?.isTrained == true else {
            throw CocoaError(.coderInvalidValue)
        }
    }

    /// Looks at all vectors, because an index with so few buckets is searched in all of them.
    private func search() throws {
        let target = bytes(1) { Data($0).base64EncodedString() }
        let query = try SQLPlusPlus.parse("SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, '\(target)') LIMIT 10")
        guard try PreparedQuery(query, on: file, databaseName: "db").run(on: file).count == 10 else { throw CocoaError(.coderInvalidValue) }
    }
}
