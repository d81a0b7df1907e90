/// The number in `PRAGMA user_version`, which identifies the schema of a file (Storage format 2.2).
package struct FileVersion: Hashable, Comparable, Sendable {
    /// The number. A greater one is that of a newer schema.
    package let number: Int

    init(_ number: Int) { self.number = number }

    /// The version of a new, empty file.
    static let none = FileVersion(0)
    /// The version created by releases 3.2.2 and later, and by this library.
    package static let current = FileVersion(503)
    static let firstSupported = FileVersion(201)
    static let lastSupported = FileVersion(599)
    /// `kvmeta` has the column `purgeCnt`.
    static let purgeCount = FileVersion(302)
    /// Data tables have the column `extra`, which separates trees from bodies.
    static let separateTrees = FileVersion(400)
    /// Tombstones are in separate tables, and collections exist.
    static let collections = FileVersion(500)
    static let indexSequences = FileVersion(501)
    static let expiration = FileVersion(502)
    static let partialIndexes = FileVersion(503)
    /// The versions of Couchbase Lite 1.x.
    static let legacy = FileVersion(100)...FileVersion(149)

    package static func < (left: FileVersion, right: FileVersion) -> Bool { left.number < right.number }

    /// The release that introduced the version, for display.
    package var introducedBy: String {
        switch number {
        case 100...149: "1.x"
        case 201...300: "2.0"
        case 301: "2.5"
        case 302...399: "2.7"
        case 400...499: "3.0"
        case 500: "3.1"
        case 501: "3.2.0"
        case 502: "3.2.1"
        case 503...599: "3.2.2"
        default: "unknown"
        }
    }
}
