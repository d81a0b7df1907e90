package import DocumentStore

extension DatabaseFile.Options {
    /// Enables indexes and queries for a file. Required for every file that may have indexes, also for reading.
    package mutating func supportQueries() {
        prepare = { try QueryFunctions.register(on: $0) }
        indexes = IndexSupport(
            check: { collection, context in try IndexChecker(collection, on: context.connection).findings() },
            rebuild: { file, writer in try IndexRegistry(file).rebuildAll(writer, reindexing: true) }
        )
    }
}
