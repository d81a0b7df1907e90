extension VersionVector: CustomStringConvertible {
    /// Parses the text of a vector (Version vectors 2.4). Versions are separated by `,` or `;` and any number of spaces; one `;` ends the
    /// current and merged versions. Without it, all are current or merged.
    ///
    /// - Throws: `invalidText`, `severalMarks`, or the errors of an invalid vector.
    package init(text: ArraySlice<UInt8>) throws(VersionError) {
        var versions: [Version] = []
        var currentCount: Int?
        var rest = text
        repeat {
            let end = rest.firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") } ?? rest.endIndex
            versions.append(try Version(text: rest[..<end]))
            guard versions.count <= Self.maximumCount else { throw .tooMany(Self.maximumCount) }
            guard end < rest.endIndex else { break }
            if rest[end] == UInt8(ascii: ";") {
                guard currentCount == nil else { throw .severalMarks }
                currentCount = versions.count
            }
            rest = rest[(end + 1)...].drop { $0 == UInt8(ascii: " ") }
        } while !rest.isEmpty
        try self.init(checking: versions, currentCount: currentCount ?? versions.count)
    }

    /// Like ``init(text:)``.
    package init(_ text: String) throws(VersionError) { try self.init(text: ArraySlice(text.utf8)) }

    /// The text; empty for an empty vector.
    package var description: String {
        var text = ""
        for (index, version) in versions.enumerated() {
            if index > 0 { text += index == currentCount ? "; " : ", " }
            text += version.description
        }
        return currentCount > 1 && currentCount == versions.count ? text + ";" : text
    }
}
