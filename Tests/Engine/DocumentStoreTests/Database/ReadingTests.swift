import Testing

@testable import DocumentStore

@Suite("Blocks that only read")
struct ReadingTests {
    @Test("a thread cannot write inside of a block that reads, also after a nested block, and can write afterwards")
    func writing() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        let (file, store) = (database.file, try database.collection())
        let error = StoreError.insideRead(path: database.path.directory)
        try file.reading {
            let count = try file.reading { try store.count() }
            #expect(count == 1)
            #expect(throws: error) { try file.writer() }
            #expect(throws: error) { try file.transaction { _ in } }
        }
        #expect(throws: CancellationError.self) { try file.reading { throw CancellationError() } }
        try database.save("b", #"{"n":2}"#)
        #expect(try store.count() == 2)
    }
}
