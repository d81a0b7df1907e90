import Base

extension RevisionTree {
    /// Returns whether `bytes` are a tree and not a Fleece body, in order to distinguish the two record layouts (Storage format 3.2).
    ///
    /// A tree begins with a 32-bit size below 2^24, so its first byte is zero, and a body never begins with zero. So usually one byte is
    /// sufficient.
    package static func isTree(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 9, bytes[0] == 0 else { return false }
        var position = 0
        while position + 4 <= bytes.count {
            let size = bytes.bigEndian32(at: position)
            if size == 0 { return position > 0 }
            guard position + 8 <= bytes.count, size > 8 + Int(bytes[position + 7]), position + size <= bytes.count
            else { return false }
            position += size
        }
        return false
    }

    /// The maximum number of revisions: the index of a parent has sixteen bits, and one value means that there is no parent (Storage format
    /// 3.4).
    static let maximumCount = 0xFFFF

    /// Decodes a tree.
    ///
    /// - Parameters:
    ///   - bytes: The stored form.
    ///   - recordSequence: The sequence of the record, which replaces a stored sequence of 0.
    init(decoding bytes: UnsafeRawBufferPointer, recordSequence: UInt64) throws(RevisionTreeError) {
        revisions = []
        var offsets: [Int] = []
        var position = 0
        while true {
            guard position + 4 <= bytes.count else { throw RevisionTreeError(reason: .missingEnd, offset: position) }
            let size = bytes.bigEndian32(at: position)
            if size == 0 { break }
            guard revisions.count < Self.maximumCount else { throw RevisionTreeError(reason: .tooMany, offset: position) }
            offsets.append(position)
            revisions.append(try Revision(decoding: bytes, at: position, size: size, recordSequence: recordSequence))
            position += size
        }
        guard !revisions.isEmpty else { throw RevisionTreeError(reason: .empty, offset: 0) }
        if let index = indexOfBadParent() { throw RevisionTreeError(reason: .badParent, offset: offsets[index]) }
        try decodeTail(bytes, from: position + 4)
    }

    /// Returns the first revision whose parent does not exist, or a revision whose ancestors form a cycle; `nil` if all are valid.
    private func indexOfBadParent() -> Int? {
        if let index = revisions.firstIndex(where: { ($0.parent ?? 0) >= revisions.count }) { return index }
        // 0: not visited, 1: on the current path, 2: known to end at a root.
        var state = [UInt8](repeating: 0, count: revisions.count)
        for start in revisions.indices where state[start] == 0 {
            var way: [Int] = []
            var next: Int? = start
            while let index = next, state[index] == 0 {
                state[index] = 1
                way.append(index)
                next = revisions[index].parent
            }
            if let index = next, state[index] == 1 { return index }
            for index in way { state[index] = 2 }
        }
        return nil
    }

    /// Decodes the revisions known at the remotes and, after a separator, the rejected revisions. A separator is written only if there are
    /// rejected revisions, because releases before 3.2 cannot read it.
    private mutating func decodeTail(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(RevisionTreeError) {
        guard (bytes.count - start) % 4 == 0 else { throw RevisionTreeError(reason: .trailingBytes, offset: start) }
        var isRejectedList = false
        for position in stride(from: start, to: bytes.count, by: 4) {
            let remote = UInt16(bytes.bigEndian16(at: position))
            let index = bytes.bigEndian16(at: position + 2)
            if remote == 0, index == 0, !isRejectedList {
                isRejectedList = true
                continue
            }
            guard index < revisions.count, (remote == 0) == isRejectedList else {
                throw RevisionTreeError(reason: .badRemote, offset: position)
            }
            if isRejectedList { rejected.append(index) } else { remotes[remote] = index }
        }
    }

    /// Returns the stored form. Revisions that belong to the current change have the sequence 0.
    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(revisions.count * 34 + 8 + remotes.count * 4)
        for revision in revisions { revision.encode(into: &bytes) }
        bytes.append(contentsOf: [0, 0, 0, 0])
        for (remote, index) in remotes.sorted(by: { $0.key < $1.key }) {
            bytes.append(bigEndian16: Int(remote))
            bytes.append(bigEndian16: index)
        }
        if !rejected.isEmpty {
            bytes.append(contentsOf: [0, 0, 0, 0])
            for index in rejected {
                bytes.append(bigEndian16: 0)
                bytes.append(bigEndian16: index)
            }
        }
        return bytes
    }
}

extension Revision {
    /// The number of bytes before the revision ID.
    private static let headerSize = 8
    private static let noParent = 0xFFFF

    fileprivate init(
        decoding bytes: UnsafeRawBufferPointer,
        at position: Int,
        size: Int,
        recordSequence: UInt64
    ) throws(RevisionTreeError) {
        guard size >= Self.headerSize + 1, position + size <= bytes.count else {
            throw RevisionTreeError(reason: .truncated, offset: position)
        }
        let end = position + size
        let parent = bytes.bigEndian16(at: position + 4)
        self.parent = parent == Self.noParent ? nil : parent
        let stored = RevisionFlags(rawValue: bytes[position + 6])
        flags = stored.intersection(.stored)
        let idStart = position + Self.headerSize
        let idEnd = idStart + Int(bytes[position + 7])
        guard idEnd < end else { throw RevisionTreeError(reason: .truncated, offset: position) }
        guard let id = TreeRevisionID(binary: UnsafeRawBufferPointer(rebasing: bytes[idStart..<idEnd])) else {
            throw RevisionTreeError(reason: .badRevisionID, offset: idStart)
        }
        self.id = id
        guard let (sequence, varintSize) = Varint.read64(bytes.baseAddress! + idEnd, available: end - idEnd) else {
            throw RevisionTreeError(reason: .badSequence, offset: idEnd)
        }
        self.sequence = sequence == 0 ? recordSequence : sequence
        let bodyStart = idEnd + varintSize
        body = stored.contains(.hasBody) && bodyStart < end ? Array(bytes[bodyStart..<end]) : nil
    }

    fileprivate func encode(into bytes: inout [UInt8]) {
        id.withBinary { binary in
            let varintSize = Varint.size(of: sequence)
            bytes.append(bigEndian32: Self.headerSize + binary.count + varintSize + (body?.count ?? 0))
            bytes.append(bigEndian16: parent ?? Self.noParent)
            bytes.append(flags.union(body == nil ? [] : .hasBody).rawValue)
            bytes.append(UInt8(binary.count))
            bytes.append(contentsOf: binary)
            withUnsafeTemporaryAllocation(byteCount: 10, alignment: 1) { buffer in
                let size = Varint.write(sequence, to: buffer.baseAddress!)
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<size]))
            }
            if let body { bytes.append(contentsOf: body) }
        }
    }
}

extension UnsafeRawBufferPointer {
    func bigEndian16(at position: Int) -> Int { Int(loadUnaligned(fromByteOffset: position, as: UInt16.self).bigEndian) }

    func bigEndian32(at position: Int) -> Int { Int(loadUnaligned(fromByteOffset: position, as: UInt32.self).bigEndian) }
}

extension [UInt8] {
    mutating func append(bigEndian16 number: Int) {
        append(UInt8(truncatingIfNeeded: number >> 8))
        append(UInt8(truncatingIfNeeded: number))
    }

    mutating func append(bigEndian32 number: Int) {
        append(bigEndian16: number >> 16)
        append(bigEndian16: number)
    }
}

/// The tree of a new document: one live revision, whose body is in the record (Storage format 3.4).
enum FirstRevision {
    /// Calls `body` with the encoded tree. For speed, no ``RevisionTree`` is created.
    static func withTree<Result>(
        of version: UnsafeRawBufferPointer,
        hasAttachments: Bool,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let recordSize = 8 + version.count + 1
        return try withUnsafeTemporaryAllocation(byteCount: recordSize + 4, alignment: 4) { tree in
            tree.initializeMemory(as: UInt8.self, repeating: 0)
            tree.storeBytes(of: UInt32(recordSize).bigEndian, as: UInt32.self)
            tree.storeBytes(of: UInt16(0xFFFF), toByteOffset: 4, as: UInt16.self)
            let flags: RevisionFlags = hasAttachments ? [.leaf, .hasAttachments] : .leaf
            tree[6] = flags.rawValue
            tree[7] = UInt8(version.count)
            UnsafeMutableRawBufferPointer(rebasing: tree[8..<(8 + version.count)]).copyMemory(from: version)
            // The remaining bytes are zero: the sequence, which means the sequence of the record, and the end marker.
            return try body(UnsafeRawBufferPointer(tree))
        }
    }
}

/// The error in a stored revision tree (Storage format 3.4).
package struct RevisionTreeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The rule that the tree violates. The raw value is its text in messages.
    package enum Reason: String, Sendable {
        /// The tree has no revisions, not even the current one.
        case empty = "there are no revisions"
        /// The size of a revision exceeds the rest of the tree.
        case truncated = "a revision reaches past the end"
        /// A revision ID that cannot be parsed.
        case badRevisionID = "a revision ID is invalid"
        /// A parent that is not a revision of the tree, or is a descendant of its child.
        case badParent = "a parent index is out of range or forms a cycle"
        /// A remote database whose revision is not in the tree.
        case badRemote = "a remote's revision index is out of range"
        /// A sequence that is not a valid number.
        case badSequence = "a sequence number is invalid"
        /// Bytes that belong to no revision and no remote database.
        case trailingBytes = "there are extra bytes after the end"
        /// More revisions than are accepted.
        case tooMany = "there are too many revisions"
        /// The data ends without the mark after the last revision.
        case missingEnd = "there is no end marker"
    }

    /// The rule that the tree violates.
    package let reason: Reason
    /// The position of the error, as a byte offset in the tree.
    package let offset: Int

    package var description: String { "revision tree: \(reason.rawValue), at byte \(offset)" }
}
