/// The name of a revision in a database with version vectors: when and by which database it was made (Version vectors 2).
///
/// A database never makes two versions with the same time.
package struct Version: Hashable, Sendable {
    /// Nanoseconds since 1970, whose low sixteen bits are a counter; never 0 (Version vectors 2.2).
    package let time: UInt64
    /// The database that made the revision.
    package let source: SourceID

    /// Creates a version; `nil` if the time is 0.
    package init?(time: UInt64, source: SourceID) {
        guard time > 0 else { return nil }
        self.init(existing: time, source)
    }

    /// Creates a version with a time that is not 0.
    init(existing time: UInt64, _ source: SourceID) { (self.time, self.source) = (time, source) }

    /// Returns the version with the ID of its database in place of ``SourceID/me``, as it is sent.
    package func absolute(_ own: SourceID) -> Version { source.isMe ? Version(existing: time, own) : self }

    /// Returns the version with ``SourceID/me`` in place of the ID of the database that stores it.
    package func relative(to own: SourceID) -> Version { source == own ? Version(existing: time, .me) : self }

    /// Whether a list of versions with the newest first has `left` before `right`. Of two with the same time, the lower source is first.
    static func isNewer(_ left: Version, than right: Version) -> Bool {
        left.time == right.time ? left.source < right.source : left.time > right.time
    }
}

extension Version: CustomStringConvertible {
    /// Parses the text, `18c5f3a2b1000000@AAECAwQFBgcICQoLDA0ODw` or `18c5f3a2b1000000@*` (Version vectors 2.4).
    ///
    /// - Throws: `invalidText`, also for a time of 0.
    package init(text: ArraySlice<UInt8>) throws(VersionError) {
        guard let mark = text.firstIndex(of: UInt8(ascii: "@")), let time = LogicalTime.parse(text[..<mark]),
            let source = SourceID(text: text[(mark + 1)...])
        else { throw .invalidText(text) }
        self.init(existing: time, source)
    }

    /// Like ``init(text:)``; `nil` if the text is invalid.
    package init?(_ text: String) {
        guard let version = try? Version(text: ArraySlice(text.utf8)) else { return nil }
        self = version
    }

    /// The text, in lower case and without leading zeros.
    package var description: String {
        String(unsafeUninitializedCapacity: 17 + SourceID.textLength) { buffer in
            let count = (67 - time.leadingZeroBitCount) / 4
            for index in 0..<count {
                let digit = UInt8(truncatingIfNeeded: time >> (4 * (count - 1 - index)) & 0xF)
                buffer[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
            }
            buffer[count] = UInt8(ascii: "@")
            return count + 1 + source.write(to: UnsafeMutableBufferPointer(rebasing: buffer[(count + 1)...]))
        }
    }
}

extension Version {
    /// Creates the version that stands for a revision of a tree (Version vectors 2.8).
    ///
    /// - Parameters:
    ///   - generation: The generation; `nil` is returned if it is 0, or too high for a time.
    ///   - digest: The digest, of which the first five bytes are used.
    init?(generation: UInt64, digest: UnsafeRawBufferPointer) {
        guard (1...(LogicalTime.maximum >> 40)).contains(generation) else { return nil }
        var time = generation
        for index in 0..<5 { time = time << 8 | (index < digest.count ? UInt64(digest[index]) : 0) }
        self.init(existing: time, .treeRevisions)
    }

    /// Whether this version stands for a revision of a tree.
    package var isTreeRevision: Bool { source == .treeRevisions }

    /// The generation of this revision; `nil` if the version is not one of a tree.
    var treeGeneration: UInt64? { isTreeRevision ? time >> 40 : nil }
}
