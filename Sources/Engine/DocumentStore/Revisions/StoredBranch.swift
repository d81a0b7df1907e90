import Base

/// The only branch of a document without tombstones and conflicts, in the stored form of its tree (Storage format 3.4), which is read
/// without decoding it. The bytes must stay valid during its lifetime.
struct StoredBranch {
    let bytes: UnsafeRawBufferPointer
    /// The current revision, which comes first.
    let current: Entry
    /// The number of revisions.
    private(set) var count: Int
    /// The positions of the ancestors, the parent of the current revision first.
    private(set) var ancestors: Range<Int>
    /// The positions of the list of remotes.
    let remotes: Range<Int>
    /// Whether a revision other than the current one refers to blobs.
    private(set) var ancestorsHaveAttachments = false
    /// The last revision, which has no parent.
    private var root: Entry
    /// The largest index of a revision known at a remote; -1 if there is none.
    private var largestKnown = -1

    /// Returns `nil` if the tree has more than one branch, a tombstone, a conflict or rejected revisions; if it would change when it is
    /// decoded and encoded again after a revision was added; and if it is damaged.
    ///
    /// - Parameter version: The ID of the current revision.
    init?(_ bytes: UnsafeRawBufferPointer, current version: TreeRevisionID) {
        self.bytes = bytes
        guard let first = Entry(bytes, at: 0), first.flags.contains(.leaf), first.body.isEmpty,
            first.flags.isSubset(of: [.leaf, .hasAttachments, .keepBody]), version.withBinary({ $0.elementsEqual(first.id) })
        else { return nil }
        (current, root, count) = (first, first, 1)
        var position = first.size
        while let entry = Entry(bytes, at: position) {
            // The order of a branch is that of the generations. Only a kept body stays in the tree.
            guard root.parent == count, entry.generation < root.generation, entry.sequence > 0 else { return nil }
            if entry.flags.contains(.keepBody) {
                guard entry.flags.isSubset(of: [.keepBody, .hasAttachments, .hasBody]), entry.flags.contains(.hasBody) != entry.body.isEmpty
                else { return nil }
                if entry.flags.contains(.hasAttachments) { ancestorsHaveAttachments = true }
            } else if entry.flags != [] || !entry.body.isEmpty {
                return nil
            }
            root = entry
            count += 1
            position += entry.size
        }
        guard position + 4 <= bytes.count, bytes.bigEndian32(at: position) == 0, root.parent == nil else { return nil }
        ancestors = first.size..<position
        remotes = (position + 4)..<bytes.count
        guard remotes.count % 4 == 0 else { return nil }
        var last = 0
        for position in stride(from: remotes.lowerBound, to: remotes.upperBound, by: 4) {
            let (remote, index) = (bytes.bigEndian16(at: position), bytes.bigEndian16(at: position + 2))
            guard remote > last, index < count else { return nil }
            last = remote
            largestKnown = max(largestKnown, index)
        }
    }

    /// Removes the last revision, as pruning does. Returns `false` if it must be kept.
    mutating func removeRoot() -> Bool {
        guard count > 1, !root.flags.contains(.keepBody), largestKnown < count - 1 else { return false }
        ancestors = ancestors.lowerBound..<(ancestors.upperBound - root.size)
        count -= 1
        return true
    }

    /// A revision in the stored form.
    struct Entry {
        /// The number of bytes.
        let size: Int
        let parent: Int?
        let flags: RevisionFlags
        let id: UnsafeRawBufferPointer
        let generation: UInt64
        let sequence: UInt64
        let body: UnsafeRawBufferPointer

        /// Returns `nil` at the mark at the end, whose size of 0 is too small for a revision, and if the revision at the position is invalid.
        init?(_ bytes: UnsafeRawBufferPointer, at position: Int) {
            guard position + 8 < bytes.count else { return nil }
            size = bytes.bigEndian32(at: position)
            let idStart = position + 8
            let idEnd = idStart + Int(bytes[position + 7])
            let end = position + size
            guard idEnd < end, end <= bytes.count, let start = bytes.baseAddress else { return nil }
            let parent = bytes.bigEndian16(at: position + 4)
            self.parent = parent == 0xFFFF ? nil : parent
            flags = RevisionFlags(rawValue: bytes[position + 6])
            id = UnsafeRawBufferPointer(rebasing: bytes[idStart..<idEnd])
            guard id.count <= TreeRevisionID.maximumLength, let (generation, size) = Varint.read64(start + idStart, available: id.count),
                (1...TreeRevisionID.maximumGeneration).contains(generation), size < id.count,
                let (sequence, sequenceSize) = Varint.read64(start + idEnd, available: end - idEnd)
            else { return nil }
            self.generation = generation
            self.sequence = sequence
            body = UnsafeRawBufferPointer(rebasing: bytes[(idEnd + sequenceSize)..<end])
        }
    }
}
