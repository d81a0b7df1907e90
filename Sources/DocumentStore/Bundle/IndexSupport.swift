/// What the layer of queries does for the indexes of a file, of which this layer knows the tables only.
package struct IndexSupport: Sendable {
    /// Compares the indexes of a collection with its documents, computing anew what they hold, and says what differs. Reads only.
    package let check: @Sendable (CollectionStore, ConnectionContext) throws -> [Finding]
    /// Makes all indexes anew from the documents, inside the writer's transaction. What cannot be made anew stays as it is.
    package let rebuild: @Sendable (DatabaseFile, Writer) throws -> [String]

    package init(
        check: @escaping @Sendable (CollectionStore, ConnectionContext) throws -> [Finding],
        rebuild: @escaping @Sendable (DatabaseFile, Writer) throws -> [String]
    ) {
        self.check = check
        self.rebuild = rebuild
    }
}
