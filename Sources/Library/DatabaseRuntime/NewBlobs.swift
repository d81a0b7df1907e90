package import DocumentStore

/// The blobs of an object that is encoded outside of a transaction, and saved in one.
package struct NewBlobs {
    private let database: any BlobHost
    private let store: BlobStore
    /// Whether their content is stored at once, and not by ``transaction(in:_:)``.
    private let installsBlobs: Bool
    private var blobs: [SharedBlob] = []

    /// Begins without blobs.
    ///
    /// - Parameters:
    ///   - file: The file in which the object is saved.
    ///   - database: The database of that file, to which the blobs belong when they are stored.
    package init(in file: DatabaseFile, of database: any BlobHost) {
        self.database = database
        store = file.blobs
        // In a batch, an error after the save would not undo the save, so the blobs are stored before it.
        installsBlobs = file.isInTransaction
    }

    /// Adds a blob, and returns its digest.
    ///
    /// - Throws: The errors of ``SharedBlob/install(in:of:)``.
    package mutating func add(_ blob: SharedBlob) throws -> BlobDigest {
        blobs.append(blob)
        return try installsBlobs ? blob.install(in: store, of: database) : blob.digest(preparedFor: store)
    }

    /// Runs `save` in a transaction, which also stores the content of the blobs: so maintenance cannot delete them before the document
    /// refers to them. After a conflict they are not stored, because no document refers to them.
    ///
    /// - Returns: The outcomes of `save` and of the enclosing batch; `nil` outside of a batch.
    package func transaction(
        in file: DatabaseFile,
        _ save: (Writer) throws -> DocumentSaveOutcome
    ) throws -> (DocumentSaveOutcome, TransactionOutcome?) {
        let (outcome, transactionOutcome) = try file.transaction { writer in
            let outcome = try save(writer)
            if outcome.isSaved, !installsBlobs {
                for blob in blobs { _ = try blob.install(in: store, of: database) }
            }
            return (outcome, writer.transactionOutcome)
        }
        if outcome.isSaved { for blob in blobs { blob.didSave(in: database) } }
        return (outcome, transactionOutcome)
    }
}
