import Testing

@testable import DatabaseRuntime

@Suite("Buffers from which tasks take elements")
struct AsyncBufferTests {
    private struct Failure: Error, Equatable {}

    private let buffer = AsyncBuffer<LatestValue<Int>, any Error>()

    @Test("a newer value replaces one that was not taken, and the last one can be taken after the end")
    func newest() async throws {
        buffer.set(1)
        buffer.set(2)
        buffer.finish()
        buffer.set(3)
        #expect(try await buffer.next(isolation: nil) == 2)
        #expect(try await buffer.next(isolation: nil) == nil)
    }

    @Test("an error is thrown once, after the value was taken")
    func failure() async throws {
        buffer.set(1)
        buffer.fail(Failure())
        #expect(try await buffer.next(isolation: nil) == 1)
        await #expect(throws: Failure()) { try await buffer.next(isolation: nil) }
        #expect(try await buffer.next(isolation: nil) == nil)
    }

    @Test("tasks that wait receive a value or the end")
    func waiting() async throws {
        async let first = buffer.next(isolation: nil)
        async let second = buffer.next(isolation: nil)
        buffer.set(1)
        buffer.finish()
        #expect(try await [first, second].compactMap(\.self) == [1])
    }
}
