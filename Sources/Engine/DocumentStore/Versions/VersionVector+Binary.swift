import Base

/// The form in which vectors are stored (Version vectors 2.5, 2.6).
extension VersionVector {
    /// The first byte. The binary form of a revision of a tree begins with its generation, which is not zero.
    private static let mark: UInt8 = 0

    /// The bit of a source's length that marks current and merged versions.
    private static let currentBit: UInt8 = 0x80

    /// Returns whether the stored ID of a revision is a vector, and not the ID of a revision of a tree.
    package static func isVector(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.first == mark }

    /// Parses the binary form.
    ///
    /// - Throws: `invalidBinary`, or the errors of an invalid vector.
    package init(binary bytes: UnsafeRawBufferPointer) throws(VersionError) {
        guard Self.isVector(bytes) else { throw .invalidBinary(.notAVector, offset: 0) }
        var versions: [Version] = []
        var currentCount = 0
        var position = 1
        while position < bytes.count {
            let offset = position
            let (version, isCurrent) = try Self.version(in: bytes, at: &position, after: versions.last)
            if isCurrent {
                guard currentCount == versions.count else { throw .invalidBinary(.currentAfterPrevious, offset: offset) }
                currentCount += 1
            }
            versions.append(version)
            guard versions.count <= Self.maximumCount else { throw .tooMany(Self.maximumCount) }
        }
        try self.init(checking: versions, currentCount: max(currentCount, 1))
    }

    /// Returns the first version of the binary form, which is the current one, without reading the others. Returns `nil` if it is invalid,
    /// or if the vector is empty.
    package static func current(inBinary bytes: UnsafeRawBufferPointer) -> Version? {
        guard isVector(bytes) else { return nil }
        var position = 1
        return (try? version(in: bytes, at: &position, after: nil))?.version
    }

    /// Reads a version and moves `position` past it.
    ///
    /// - Parameter previous: The version before, from whose time the difference is stored; `nil` for the first one.
    private static func version(
        in bytes: UnsafeRawBufferPointer,
        at position: inout Int,
        after previous: Version?
    ) throws(VersionError) -> (version: Version, isCurrent: Bool) {
        let offset = position
        guard position < bytes.count, let (code, size) = Varint.read64(bytes.baseAddress! + position, available: bytes.count - position),
            var time = LogicalTime.decode(code)
        else { throw .invalidBinary(.badTime, offset: offset) }
        if let previous { time = previous.time &- time }
        guard time > 0, LogicalTime.isStorable(time) else { throw .invalidBinary(.badTime, offset: offset) }
        position += size
        guard position < bytes.count else { throw .invalidBinary(.badSource, offset: position) }
        let length = Int(bytes[position] & ~currentBit)
        let isCurrent = bytes[position] & currentBit != 0
        position += 1
        guard length > 0 else { return (Version(existing: time, .me), isCurrent) }
        guard length == SourceID.size, bytes.count - position >= length,
            let source = SourceID(UnsafeRawBufferPointer(rebasing: bytes[position..<(position + length)]))
        else { throw .invalidBinary(.badSource, offset: position - 1) }
        position += length
        return (Version(existing: time, source), isCurrent)
    }

    /// The binary form.
    package var binary: [UInt8] {
        var bytes = [Self.mark]
        bytes.reserveCapacity(1 + versions.count * 22)
        var previous: Version?
        for (index, version) in versions.enumerated() {
            version.append(to: &bytes, after: previous, flag: index < currentCount ? Self.currentBit : 0)
            previous = version
        }
        return bytes
    }
}

extension Version {
    /// The binary form of a version that stands alone: a vector without the mark of current versions.
    package var binary: [UInt8] {
        var bytes: [UInt8] = [0]
        append(to: &bytes, after: nil, flag: 0)
        return bytes
    }

    /// Appends the time, or its difference from the version before, and the source, with whose length the flag is combined.
    fileprivate func append(to bytes: inout [UInt8], after previous: Version?, flag: UInt8) {
        Varint.append(LogicalTime.code(previous.map { $0.time &- time } ?? time), to: &bytes)
        if source.isMe {
            bytes.append(flag)
        } else {
            bytes.append(UInt8(SourceID.size) | flag)
            bytes += source.bytes
        }
    }
}
