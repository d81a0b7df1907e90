import Base
import Fleece

/// The tree of a document after a live revision was added to the current one, in the usual case: it has one branch without tombstones,
/// and only the former current revision changes in the tree.
///
/// It is made from the stored form without decoding it, because nearly every change of an existing document needs it. ``RevisionTree``
/// gives the same bytes in this case, and handles all others.
struct NextRevision {
    /// The stored form, without the body of the new revision.
    let tree: [UInt8]
    /// Whether the new revision, or an ancestor whose body is kept, refers to blobs.
    let hasAttachments: Bool

    /// The stored revision to which the new one is added.
    struct Parent {
        let version: TreeRevisionID
        /// The sequence of the record.
        let sequence: UInt64
        let body: [UInt8]
        let tree: [UInt8]
    }

    /// Returns `nil` if the case is not the usual one, or the stored tree is damaged.
    ///
    /// - Parameter maximumDepth: The maximum number of revisions in a branch; 0 means that there is no maximum.
    init?(_ id: TreeRevisionID, hasAttachments: Bool, after parent: Parent, maximumDepth: Int) {
        guard parent.sequence > 0, id.generation > parent.version.generation else { return nil }
        let made: (tree: [UInt8], hasAttachments: Bool)? = parent.tree.withUnsafeBytes { bytes in
            guard var branch = StoredBranch(bytes, current: parent.version), branch.count < RevisionTree.maximumCount else { return nil }
            if maximumDepth > 0, branch.count >= maximumDepth {
                guard branch.count == maximumDepth, branch.removeRoot() else { return nil }
            }
            let former = FormerRevision(branch.current, parent)
            let tree = id.withBinary { Self.tree($0, hasAttachments: hasAttachments, former, branch) }
            return (tree, hasAttachments || branch.ancestorsHaveAttachments || former.flags.contains(.hasAttachments))
        }
        guard let made else { return nil }
        (tree, self.hasAttachments) = made
    }

    /// The former current revision as an ancestor. Its body is kept in the tree, or dropped.
    private struct FormerRevision {
        let id: UnsafeRawBufferPointer
        let flags: RevisionFlags
        let sequence: UInt64
        let body: [UInt8]

        init(_ entry: StoredBranch.Entry, _ parent: Parent) {
            id = entry.id
            sequence = entry.sequence == 0 ? parent.sequence : entry.sequence
            guard entry.flags.contains(.keepBody) else {
                (flags, body) = ([], [])
                return
            }
            flags = entry.flags.subtracting(.leaf).union(.hasBody)
            // A row without a body violates the format; it reads as a document without properties.
            body = parent.body.isEmpty ? Array(FleeceData.emptyDictionary.bytes) : parent.body
        }

        var size: Int { 8 + id.count + Varint.size(of: sequence) + body.count }
    }

    private static func tree(
        _ id: UnsafeRawBufferPointer,
        hasAttachments: Bool,
        _ former: FormerRevision,
        _ branch: StoredBranch
    ) -> [UInt8] {
        // The last byte is a zero, which stands for the sequence of the record.
        let size = 8 + id.count + 1
        let total = size + former.size + branch.ancestors.count + 4 + branch.remotes.count
        return [UInt8](unsafeUninitializedCapacity: total) { buffer, count in
            var output = Output(UnsafeMutableRawBufferPointer(buffer))
            output.write(size: size, parent: 1, hasAttachments ? [.leaf, .hasAttachments] : .leaf, id)
            output.write(UInt8(0))
            output.write(size: former.size, parent: branch.count > 1 ? 2 : nil, former.flags, former.id)
            output.write(varint: former.sequence)
            former.body.withUnsafeBytes { output.write($0) }
            var position = branch.ancestors.lowerBound
            for index in 2..<(branch.count + 1) {
                let size = branch.bytes.bigEndian32(at: position)
                output.write(UInt32(size))
                output.write(UInt16(index < branch.count ? index + 1 : 0xFFFF))
                output.write(UnsafeRawBufferPointer(rebasing: branch.bytes[(position + 6)..<(position + size)]))
                position += size
            }
            output.write(UInt32(0))
            for position in stride(from: branch.remotes.lowerBound, to: branch.remotes.upperBound, by: 4) {
                output.write(UInt16(branch.bytes.bigEndian16(at: position)))
                output.write(UInt16(branch.bytes.bigEndian16(at: position + 2) + 1))
            }
            count = output.count
        }
    }

    /// Writes into a buffer that is large enough. Numbers are written with the most significant byte first.
    private struct Output {
        private let buffer: UnsafeMutableRawBufferPointer
        private(set) var count = 0

        init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

        mutating func write<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
            buffer.storeBytes(of: number.bigEndian, toByteOffset: count, as: Number.self)
            count += MemoryLayout<Number>.size
        }

        mutating func write(_ bytes: UnsafeRawBufferPointer) {
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
            count += bytes.count
        }

        mutating func write(varint number: UInt64) { count += Varint.write(number, to: buffer.baseAddress! + count) }

        /// Writes the parts of a revision before its sequence.
        mutating func write(size: Int, parent: Int?, _ flags: RevisionFlags, _ id: UnsafeRawBufferPointer) {
            write(UInt32(size))
            write(UInt16(parent ?? 0xFFFF))
            write(flags.rawValue)
            write(UInt8(id.count))
            write(id)
        }
    }
}
