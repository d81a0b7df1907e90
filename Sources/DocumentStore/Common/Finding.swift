/// A problem found in a database.
package struct Finding: Sendable, Equatable, CustomStringConvertible {
    /// How serious a finding is.
    package enum Severity: String, Sendable {
        /// Data is lost or cannot be read.
        case error
        /// The data can be used, but violates the format.
        case warning
    }

    package let severity: Severity
    /// The object concerned: a document as `collection/id`, the file name of a blob, or a table.
    package let subject: String
    /// A description of the problem.
    package let message: String

    package init(severity: Severity, subject: String, message: String) {
        self.severity = severity
        self.subject = subject
        self.message = message
    }

    package var description: String { "\(subject): \(message)" }
}
