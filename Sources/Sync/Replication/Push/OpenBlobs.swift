import DocumentStore
import Synchronization

/// The files of blobs that are being sent by all sessions of the process.
///
/// Sessions that send the same blob share its file. At most ``maximumOpen`` files are open: the least recently read one is closed, and
/// opened again when it is read. So peers that request blobs without reading them do not use up the file descriptors.
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
        /// The identity of each file object. Unlike the weak reference, it is still valid while the object is being deinitialized.
        var ids: [Key: ObjectIdentifier] = [:]
        /// The open files and the time of their last use.
        var open: [ObjectIdentifier: (file: Reference, time: UInt64)] = [:]
        var time: UInt64 = 0
        /// The blobs whose content could not be read, and the number of requests for which they are still refused.
        var refusals: [Key: Int] = [:]
    }

    /// The number of requests for which a blob is refused after its content could not be read.
    static let refusalCount = 20
    /// The maximum number of blobs that are refused.
    private static let maximumRefused = 256

    let maximumOpen: Int
    private let state = Mutex(State())

    init(maximumOpen: Int) { self.maximumOpen = maximumOpen }

    var openCount: Int { state.withLock { $0.open.count } }

    /// Returns the file of the blob with this digest; `nil` if the blob is not stored.
    func file(of digest: BlobDigest, in store: BlobStore) throws -> SharedBlobFile? {
        let key = Key(store: ObjectIdentifier(store), digest: digest)
        if let file = state.withLock({ $0.files[key]?.file }) { return file }
        guard try store.size(of: digest) != nil else { return nil }
        let file = SharedBlobFile(digest, in: store, self)
        return state.withLock { state in
            // Another session may have added the file concurrently.
            if let other = state.files[key]?.file { return other }
            state.files[key] = Reference(file: file)
            state.ids[key] = ObjectIdentifier(file)
            return file
        }
    }

    /// Returns whether a request for a blob must be refused, because its content could not be read. From time to time the blob is tried
    /// again.
    func refuses(_ digest: BlobDigest, in store: BlobStore) -> Bool {
        state.withLock { state in
            let key = Key(store: ObjectIdentifier(store), digest: digest)
            guard let count = state.refusals[key] else { return false }
            state.refusals[key] = count > 1 ? count - 1 : nil
            return true
        }
    }

    /// Notes that the content of a blob could not be read after a part of it was sent. The session that has sent it ends. So the next
    /// sessions refuse the blob: otherwise it would end them too, before they have sent other blobs.
    fileprivate func noteFailure(of digest: BlobDigest, in store: BlobStore) {
        state.withLock { state in
            if state.refusals.count >= Self.maximumRefused, let next = state.refusals.min(by: { $0.value < $1.value }) {
                state.refusals[next.key] = nil
            }
            state.refusals[Key(store: ObjectIdentifier(store), digest: digest)] = Self.refusalCount
        }
    }

    /// Notes that a file is being read and may be opened for that. Closes the least recently used file if too many are open.
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
            // Compares identities instead of loading the weak reference: releasing the last reference here would call this method again and
            // deadlock.
            guard state.ids[key] == ObjectIdentifier(file) else { return }
            state.files[key] = nil
            state.ids[key] = nil
        }
    }
}

/// The file of a blob that several sessions read, each at its own position.
final class SharedBlobFile: Sendable {
    private let digest: BlobDigest
    private let store: BlobStore
    private let pool: OpenBlobs
    /// `nil` while the file is not open.
    private let reader = Mutex<BlobReader?>(nil)

    fileprivate init(_ digest: BlobDigest, in store: BlobStore, _ pool: OpenBlobs) {
        self.digest = digest
        self.store = store
        self.pool = pool
    }

    deinit { pool.remove(self, digest, store) }

    /// Opens the file, unless it is open. Fails if the blob has been deleted.
    func open() throws(BlobError) {
        pool.noteUse(of: self)
        try reader.withLock { current throws(BlobError) in _ = try opened(&current) }
    }

    /// Reads content at `position`. Returns at most `maximum` bytes; none at the end. Fails if the blob has been deleted.
    func read(upTo maximum: Int, at position: UInt64) throws(BlobError) -> [UInt8] {
        pool.noteUse(of: self)
        return try reader.withLock { current throws(BlobError) in
            let reader = try opened(&current)
            reader.seek(to: position)
            return try reader.read(upTo: maximum)
        }
    }

    private func opened(_ current: inout BlobReader?) throws(BlobError) -> BlobReader {
        if let current { return current }
        guard let reader = try store.reader(of: digest) else {
            throw BlobError(.notFound, action: "read", path: store.path(of: digest))
        }
        current = reader
        return reader
    }

    /// Notes that the content could not be read after a part of it was sent.
    func noteFailure() { pool.noteFailure(of: digest, in: store) }

    /// Closes the file until it is read again. Does nothing while it is being read.
    fileprivate func close() { _ = reader.withLockIfAvailable { $0 = nil } }
}
