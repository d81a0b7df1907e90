/// The error in a version or a version vector from a file or a peer (Version vectors 2).
package enum VersionError: Error, Equatable, Sendable {
    /// A text that is not a version.
    case invalidText(ArraySlice<UInt8>)
    /// A text with more than one mark after the current versions.
    case severalMarks
    /// A database occurs twice.
    case duplicateSource(Version)
    /// A merged version of the database that made the current version is not older than that one.
    case currentNotNewer(Version)
    /// More versions than are accepted.
    case tooMany(Int)
    /// A version to be added is older than the one that the vector has of the same database.
    case olderThanKnown(Version)
    /// Two vectors to be merged have current versions by the same database, so one of them must be newer.
    case sameAuthor(SourceID)
    /// A time that is too early, or too far in the future.
    case invalidTime(Version)
    /// A received version whose database is given as "me".
    case relative(Version)
    /// The binary form is invalid at a byte offset.
    case invalidBinary(BinaryFault, offset: Int)

    /// What is wrong with the binary form. The raw value is its text in messages.
    package enum BinaryFault: String, Sendable {
        /// The first byte is not zero, so it is no vector.
        case notAVector = "it does not begin with a zero byte"
        /// A number that is incomplete or has more than 64 bits.
        case badTime = "a time is invalid"
        /// A length other than 0 and 16, or the end of the data.
        case badSource = "the ID of a database is invalid"
        /// A current version after a previous one.
        case currentAfterPrevious = "a current version follows a previous one"
    }
}

extension VersionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalidText(let text): "Invalid version string '\(Self.shortened(text))'"
        case .severalMarks: "multiple ';'s in version vector"
        case .duplicateSource(let version): "Duplicate ID in version vector: \(version)"
        case .currentNotNewer(let version): "Cur version not newer than merge version: \(version)"
        case .tooMany(let count): "Version vector has more than \(count) versions"
        case .olderThanKnown: "New version timestamp is older than current one"
        case .sameAuthor: "Merging 'conflicting' vectors with the same current author"
        case .invalidTime(let version): "Invalid timestamp in version vector \(version)"
        case .relative(let version): "Version \(version) does not name its source"
        case .invalidBinary(let fault, let offset): "version vector: \(fault.rawValue), at byte \(offset)"
        }
    }

    /// The text may come from a peer, and be long.
    private static func shortened(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text.prefix(60), as: UTF8.self) + (text.count > 60 ? "…" : "")
    }
}
