import Base

/// A stored revision tree that is read without decoding it, to access a few of its revisions (Storage format 3.4).
///
/// The bytes must stay valid during its lifetime.
struct StoredTree {
    private let bytes: UnsafeRawBufferPointer
    /// The offset of each revision.
    private let offsets: [Int]
    /// The offset of the list of remotes.
    private let tail: Int

    /// Finds the offsets of the revisions. Takes a few nanoseconds per revision, and one allocation.
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

    /// Returns the size of the revision at `position`, 0 at the end, or `nil` if the tree is damaged.
    private static func sizeOfRevision(in bytes: UnsafeRawBufferPointer, at position: Int) -> Int? {
        guard position + 4 <= bytes.count else { return nil }
        let size = bytes.bigEndian32(at: position)
        if size == 0 { return 0 }
        guard position + 8 <= bytes.count, size > 8 + Int(bytes[position + 7]), position + size <= bytes.count else { return nil }
        return size
    }

    var count: Int { offsets.count }

    /// Returns the ID of the revision at `index`.
    ///
    /// - Throws: `badRevisionID` if it is damaged.
    func id(at index: Int) throws(RevisionTreeError) -> TreeRevisionID {
        guard let id = Self.id(in: bytes, at: offsets[index]) else {
            throw RevisionTreeError(reason: .badRevisionID, offset: offsets[index])
        }
        return id
    }

    private static func id(in bytes: UnsafeRawBufferPointer, at offset: Int) -> TreeRevisionID? {
        let start = offset + 8
        return TreeRevisionID(binary: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + Int(bytes[offset + 7]))]))
    }

    func flags(at index: Int) -> RevisionFlags { RevisionFlags(rawValue: bytes[offsets[index] + 6]) }

    /// Returns whether the body of a revision is stored, in the tree or in the record.
    func hasBody(at index: Int) -> Bool { index == 0 || flags(at: index).contains(.hasBody) }

    /// Returns the body of a revision if it is stored in the tree.
    func body(at index: Int) -> UnsafeRawBufferPointer? {
        guard flags(at: index).contains(.hasBody) else { return nil }
        let start = offsets[index] + 8 + Int(bytes[offsets[index] + 7])
        let end = offsets[index] + bytes.bigEndian32(at: offsets[index])
        guard let (_, size) = Varint.read64(bytes.baseAddress! + start, available: end - start), start + size < end
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[(start + size)..<end])
    }

    /// Returns the index of the revision with the ID, or `nil` if there is none.
    func index(of id: TreeRevisionID) -> Int? {
        id.withBinary { binary in
            offsets.firstIndex { offset in
                Int(bytes[offset + 7]) == binary.count
                    && bytes[(offset + 8)..<(offset + 8 + binary.count)].elementsEqual(binary)
            }
        }
    }

    /// Returns the indexes of the revision at `index` and of its ancestors, up to the root.
    func branch(from index: Int) throws(RevisionTreeError) -> [Int] {
        var branch = [index]
        while let parent = self.parent(of: branch[branch.count - 1]) {
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

    /// Returns the index of the latest revision known at a remote, or `nil` if there is none.
    func remoteAncestor(_ remote: RevisionTree.RemoteID) -> Int? {
        Self.remoteAncestor(remote, in: bytes, tail: tail).flatMap { $0 < count ? $0 : nil }
    }

    private static func remoteAncestor(_ remote: RevisionTree.RemoteID, in bytes: UnsafeRawBufferPointer, tail: Int) -> Int? {
        var position = tail
        while position + 4 <= bytes.count {
            let number = bytes.bigEndian16(at: position)
            // The rejected revisions follow after a zero.
            if number == 0 { return nil }
            if number == Int(remote) { return bytes.bigEndian16(at: position + 2) }
            position += 4
        }
        return nil
    }

    /// Returns whether the current revision is the latest one known at any remote, without an allocation; `false` if the tree is damaged.
    static func isCurrentOnRemote(in bytes: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while let size = sizeOfRevision(in: bytes, at: position), size > 0 { position += size }
        position += 4
        while position + 4 <= bytes.count, bytes.bigEndian16(at: position) != 0 {
            if bytes.bigEndian16(at: position + 2) == 0 { return true }
            position += 4
        }
        return false
    }

    /// Returns the latest revision known at a remote, without an allocation, or `nil` if there is none or the tree is damaged.
    static func remoteAncestor(_ remote: RevisionTree.RemoteID, in bytes: UnsafeRawBufferPointer) -> TreeRevisionID? {
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
