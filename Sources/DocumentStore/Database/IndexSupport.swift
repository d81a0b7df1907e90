/// The functions for indexes that are provided by the query layer. This layer only knows the tables of indexes.
package struct IndexSupport: Sendable {
    /// Compares the indexes of a collection with the entries computed from its documents, and returns the differences. Read-only.
    package let check: @Sendable (CollectionStore, ConnectionContext) throws -> [Finding]
    /// Rebuilds all indexes from the documents, inside the writer's transaction. An index that cannot be rebuilt is not changed. Returns
    /// the messages about such indexes.
    package let rebuild: @Sendable (DatabaseFile, Writer) throws -> [String]

    package init(
        check: @escaping @Sendable (CollectionStore, ConnectionContext) throws -> [Finding],
        rebuild: @escaping @Sendable (DatabaseFile, Writer) throws -> [String]
    ) {
        self.check = check
        self.rebuild = rebuild
    }
}
