import DocumentStore
import Synchronization

/// The files of blobs that are being sent, by all sessions of this process.
///
/// Sessions that send the same blob share its file, and no more than ``maximumOpen`` are open at a time: the one that has not been read
/// for longest is closed, and opened again when it is read on. So peers that ask and do not listen use no descriptors up.
final class OpenBlobs: Sendable {
    static let shared = OpenBlobs(maximumOpen: 64)

    private struct Key: Hashable {
        let store: ObjectIdentifier
        let digest: BlobDigest
    }

    private struct Reference {
        weak var file: SharedBlobFile?
    }

    private struct State {
        var files: [Key: Reference] = [:]
        /// Which object each of them is, also when it is going.
        var ids: [Key: ObjectIdentifier] = [:]
        /// Those that are open, with when they were read last.
        var open: [ObjectIdentifier: (file: Reference, time: UInt64)] = [:]
        var time: UInt64 = 0
    }

    let maximumOpen: Int
    private let state = Mutex(State())

    init(maximumOpen: Int) {
        self.maximumOpen = maximumOpen
    }

    /// How many files are open.
    var openCount: Int { state.withLock { $0.open.count } }

    /// The blob with that digest; nil when it is not stored.
    ///
    /// - Throws: `BlobError` when it cannot be read.
    func file(of digest: BlobDigest, in store: BlobStore) throws -> SharedBlobFile? {
        let key = Key(store: ObjectIdentifier(store), digest: digest)
        if let file = state.withLock({ $0.files[key]?.file }) { return file }
        guard let size = try store.size(of: digest) else { return nil }
        let file = SharedBlobFile(digest, in: store, size: size, self)
        return state.withLock { state in
            // Another session may have been quicker.
            if let other = state.files[key]?.file { return other }
            state.files[key] = Reference(file: file)
            state.ids[key] = ObjectIdentifier(file)
            return file
        }
    }

    /// A file is read, and perhaps opened for that. Closes another one when that makes too many.
    fileprivate func noteUse(of file: SharedBlobFile) {
        let surplus = state.withLock { state -> Reference? in
            state.time += 1
            let id = ObjectIdentifier(file)
            let isNew = state.open[id] == nil
            state.open[id] = (Reference(file: file), state.time)
            guard isNew, state.open.count > maximumOpen,
                let oldest = state.open.filter({ $0.key != id }).min(by: { $0.value.time < $1.value.time })
            else { return nil }
            state.open[oldest.key] = nil
            return oldest.value.file
        }
        surplus?.file?.close()
    }

    fileprivate func remove(_ file: SharedBlobFile, _ digest: BlobDigest, _ store: BlobStore) {
        state.withLock { state in
            state.open[ObjectIdentifier(file)] = nil
            let key = Key(store: ObjectIdentifier(store), digest: digest)
            // Nobody is asked whether the file is still there: to let go of the last reference here would lock once more.
            guard state.ids[key] == ObjectIdentifier(file) else { return }
            state.files[key] = nil
            state.ids[key] = nil
        }
    }
}

/// A blob that sessions read from, each where it has come to.
///
/// Unchecked because the reader is not sendable: it is touched under the lock only.
final class SharedBlobFile: @unchecked Sendable {
    /// How many bytes the blob has.
    let size: UInt64
    private let digest: BlobDigest
    private let store: BlobStore
    private let pool: OpenBlobs
    private let lock = Mutex(())
    private var reader: BlobReader?

    fileprivate init(_ digest: BlobDigest, in store: BlobStore, size: UInt64, _ pool: OpenBlobs) {
        self.digest = digest
        self.store = store
        self.size = size
        self.pool = pool
    }

    deinit {
        pool.remove(self, digest, store)
    }

    /// Fills `buffer` with what stands at `position`, as far as there is content, and returns how many bytes that were; 0 at the end.
    ///
    /// - Throws: `BlobError`; also when the blob has been deleted meanwhile.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: UInt64) throws(BlobError) -> Int {
        pool.noteUse(of: self)
        let outcome: Result<Int, BlobError> = lock.withLock { _ in
            Result { () throws(BlobError) in
                if reader == nil { reader = try store.reader(of: digest) }
                guard let reader else { throw BlobError(.notFound, action: "read", path: store.path(of: digest)) }
                reader.seek(to: position)
                return try reader.read(into: buffer)
            }
        }
        return try outcome.get()
    }

    /// Closes the file until it is read again. Not while it is being read.
    fileprivate func close() {
        _ = lock.withLockIfAvailable { _ in reader = nil }
    }
}
