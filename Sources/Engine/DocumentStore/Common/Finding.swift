/// A problem found in a database.
package struct Finding: Sendable, Equatable, CustomStringConvertible {
    /// How serious a finding is.
    package enum Severity: String, Sendable {
        /// Data is lost or cannot be read.
        case error
        /// The data can be used, but violates the format.
        case warning
    }

    /// What is damaged.
    package enum Kind: String, Sendable {
        /// The file or the directory as a whole.
        case file
        /// A page of the SQLite file, a table, a document, the file of a blob, or an index.
        case page, table, document, blob, index
        /// The shared keys or another property of the database.
        case information
    }

    /// How serious the problem is.
    package let severity: Severity
    /// What is damaged. It determines the form of ``subject``.
    package let kind: Kind
    /// The object concerned: a document as `collection/id`, the file name of a blob, a table, an index, or a page by its number.
    package let subject: String
    /// A description of the problem.
    package let message: String

    package init(severity: Severity, kind: Kind, subject: String, message: String) {
        self.severity = severity
        self.kind = kind
        self.subject = subject
        self.message = message
    }

    package var description: String { "\(subject): \(message)" }
}
