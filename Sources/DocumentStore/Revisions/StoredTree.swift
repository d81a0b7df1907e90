import Fleece

/// A stored revision tree that is read in place, for looking at a few of its revisions (Storage format 3.4).
///
/// The bytes must stay where they are as long as it is used.
struct StoredTree {
    private let bytes: UnsafeRawBufferPointer
    /// Where each revision begins.
    private let offsets: [Int]
    /// Where the list of remotes begins.
    private let tail: Int

    /// Finds the revisions. Costs a few nanoseconds for each, and one allocation.
    init(_ bytes: UnsafeRawBufferPointer) throws(RevisionTreeError) {
        self.bytes = bytes
        var offsets: [Int] = []
        var position = 0
        while true {
            guard let size = Self.sizeOfRevision(in: bytes, at: position) else {
                throw RevisionTreeError(reason: .truncated, offset: position)
            }
            if size == 0 { break }
            offsets.append(position)
            position += size
        }
        guard !offsets.isEmpty else { throw RevisionTreeError(reason: .empty, offset: 0) }
        self.offsets = offsets
        tail = position + 4
    }

    /// The size of the revision at `position`, 0 at the end; nil when it is damaged.
    private static func sizeOfRevision(in bytes: UnsafeRawBufferPointer, at position: Int) -> Int? {
        guard position + 4 <= bytes.count else { return nil }
        let size = bytes.bigEndian32(at: position)
        if size == 0 { return 0 }
        guard position + 8 <= bytes.count, size > 8 + Int(bytes[position + 7]), position + size <= bytes.count else { return nil }
        return size
    }

    var count: Int { offsets.count }

    /// - Throws: `badRevisionID`.
    func id(at index: Int) throws(RevisionTreeError) -> RevisionID {
        guard let id = Self.id(in: bytes, at: offsets[index]) else {
            throw RevisionTreeError(reason: .badRevisionID, offset: offsets[index])
        }
        return id
    }

    private static func id(in bytes: UnsafeRawBufferPointer, at offset: Int) -> RevisionID? {
        let start = offset + 8
        return RevisionID(binary: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + Int(bytes[offset + 7]))]))
    }

    func flags(at index: Int) -> RevisionFlags { RevisionFlags(rawValue: bytes[offsets[index] + 6]) }

    /// Whether the body of a revision is kept, if only in the record.
    func hasBody(at index: Int) -> Bool { index == 0 || flags(at: index).contains(.hasBody) }

    /// The body of a revision that is kept in the tree.
    func body(at index: Int) -> UnsafeRawBufferPointer? {
        guard flags(at: index).contains(.hasBody) else { return nil }
        let start = offsets[index] + 8 + Int(bytes[offsets[index] + 7])
        let end = offsets[index] + bytes.bigEndian32(at: offsets[index])
        guard let (_, size) = Varint.read64(bytes.baseAddress! + start, available: end - start), start + size < end
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[(start + size)..<end])
    }

    /// The index of the revision with the given name.
    func index(of id: RevisionID) -> Int? {
        id.withBinary { binary in
            offsets.firstIndex { offset in
                Int(bytes[offset + 7]) == binary.count
                    && bytes[(offset + 8)..<(offset + 8 + binary.count)].elementsEqual(binary)
            }
        }
    }

    /// The revision at `index` and its ancestors, up to the root.
    func branch(from index: Int) throws(RevisionTreeError) -> [Int] {
        var branch = [index]
        while let parent = parent(of: branch[branch.count - 1]) {
            guard parent < count, branch.count < count else {
                throw RevisionTreeError(reason: .badParent, offset: offsets[branch[branch.count - 1]])
            }
            branch.append(parent)
        }
        return branch
    }

    private func parent(of index: Int) -> Int? {
        let parent = bytes.bigEndian16(at: offsets[index] + 4)
        return parent == 0xFFFF ? nil : parent
    }

    /// The index of the latest revision known to be on a remote.
    func remoteAncestor(_ remote: RevisionTree.RemoteID) -> Int? {
        Self.remoteAncestor(remote, in: bytes, tail: tail).flatMap { $0 < count ? $0 : nil }
    }

    private static func remoteAncestor(_ remote: RevisionTree.RemoteID, in bytes: UnsafeRawBufferPointer, tail: Int) -> Int? {
        var position = tail
        while position + 4 <= bytes.count {
            let number = bytes.bigEndian16(at: position)
            // Behind a zero stand the rejected revisions.
            if number == 0 { return nil }
            if number == Int(remote) { return bytes.bigEndian16(at: position + 2) }
            position += 4
        }
        return nil
    }

    /// The latest revision known to be on a remote, found without an allocation; nil also when the tree is damaged.
    static func remoteAncestor(_ remote: RevisionTree.RemoteID, in bytes: UnsafeRawBufferPointer) -> RevisionID? {
        var position = 0
        while let size = sizeOfRevision(in: bytes, at: position), size > 0 { position += size }
        guard var index = remoteAncestor(remote, in: bytes, tail: position + 4) else { return nil }
        position = 0
        while let size = sizeOfRevision(in: bytes, at: position), size > 0 {
            if index == 0 { return id(in: bytes, at: position) }
            index -= 1
            position += size
        }
        return nil
    }
}
