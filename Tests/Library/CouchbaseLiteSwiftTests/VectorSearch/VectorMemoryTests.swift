import Foundation
import TestSupport
import Testing

/// The memory that a vector index takes (Vector search EN-27, T-13).
@Suite("Memory of vector indexes")
struct VectorMemoryTests {
    @Test(
        "no use of a vector index takes memory for all vectors, a search takes less than 4 MiB, and a save less than 1 MiB",
        .enabled(if: PeakMemory.ofThisProcess != nil, "this system does not say how much memory was used")
    )
    func bounds() throws {
        let folder = try DatabaseFolder()
        let count = 12_000
        // Memory that is no longer used is returned to the system at once.
        let environment = ["MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072", "MALLOC_ARENA_MAX": "1"]
        let result = try ProcessRunner(product: "DatabaseWriter")
            .run([folder.path, "vectors", "vector-memory", "\(count)"], environment: environment)
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        var used: [String: Int] = [:]
        for line in result.output.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, words[0] == "used" { used[String(words[1])] = Int(words[2]) }
        }
        // 512 components of four bytes each. Their codes take a fourth of this, which is more than the limit of a search.
        let vectors = count * 512 * 4
        #expect(used.keys.sorted() == ["create", "merge", "save", "search"])
        #expect(used["create"] ?? .max < vectors / 2, "\(used)")
        #expect(used["search"] ?? .max < 4 << 20, "\(used)")
        #expect(used["save"] ?? .max < 1 << 20, "\(used)")
        #expect(used["merge"] ?? .max < vectors / 2, "\(used)")
    }
}
