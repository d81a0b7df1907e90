/// The queues on which the `async` functions of a database are run.
struct DatabaseWork: Sendable {
    private let writes = WorkQueue("CouchbaseLite.writes", width: 1)
    /// Its width is the number of connections for reading.
    private let reads = WorkQueue("CouchbaseLite.reads", width: 4)

    nonisolated(nonsending) func write<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await writes.run(work)
    }

    nonisolated(nonsending) func read<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await reads.run(work)
    }
}
