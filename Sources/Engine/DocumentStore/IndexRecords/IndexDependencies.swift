package import Foundation

/// What the query layer knows about indexes whose content depends on more than the documents: on the order of texts in a language, or on the
/// local time zone (Storage format 5.12).
package struct IndexDependencies: Sendable {
    /// The SQL of such an index, or of a trigger that maintains it, contains at least one of these texts.
    package let marks: [String]
    /// Returns what the content of an index depends on, sorted, as the SQL of the index or trigger says; nothing for most.
    package let names: @Sendable (_ sql: String) -> [String]
    /// Describes the present state of what indexes depend on. An index is current if its content was computed in the same state.
    package let state: @Sendable (_ names: [String], TimeZone) -> String
    /// The name of ``names`` for the local time zone.
    package static let localTime = "local time"

    package init(
        marks: [String],
        names: @escaping @Sendable (_ sql: String) -> [String],
        state: @escaping @Sendable (_ names: [String], TimeZone) -> String
    ) {
        (self.marks, self.names, self.state) = (marks, names, state)
    }
}
