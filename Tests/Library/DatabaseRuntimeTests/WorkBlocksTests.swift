import Foundation
import QueryEngine
import Testing

@testable import DatabaseRuntime

@Suite("Blocks of tasks")
struct WorkBlocksTests {
    private let blocks = WorkBlocks()
    private let queue = WorkQueue("test", width: 2)

    @Test("all queries of a block have one cancellation, and those outside of blocks have their own")
    func cancellations() async throws {
        let found = try await blocks.run(on: queue) { [blocks] in [blocks.cancellation, blocks.cancellation] }
        #expect(found[0] === found[1])
        #expect(blocks.cancellation !== found[0])
        #expect(blocks.cancellation !== blocks.cancellation)
    }

    @Test("the queries of a block are cancelled with its task")
    func cancelledTask() async throws {
        let began = AsyncStream<Void>.makeStream()
        let task = Task { [blocks, queue] in
            try await blocks.run(on: queue) {
                let cancellation = blocks.cancellation
                began.continuation.yield()
                while !cancellation.isCancelled { sched_yield() }
                return cancellation
            }
        }
        for await _ in began.stream { break }
        task.cancel()
        #expect(try await task.value.isCancelled)
        #expect(!blocks.cancellation.isCancelled)
    }
}
