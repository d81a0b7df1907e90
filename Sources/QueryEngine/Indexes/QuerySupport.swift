package import DocumentStore

extension DatabaseFile.Options {
    /// Lets indexes and queries of a file be computed: whoever opens one that may have indexes needs it, for reading too.
    package mutating func supportQueries() {
        prepare = { try QueryFunctions.register(on: $0) }
        indexes = IndexSupport(
            check: { collection, context in try IndexChecker(collection, on: context.connection).findings() },
            rebuild: { file, writer in try IndexRegistry(file).rebuildAll(writer, reindexing: true) }
        )
    }
}
