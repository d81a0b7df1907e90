/// Something that is not as it should be in a database.
package struct Finding: Sendable, Equatable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        /// Data is lost or cannot be read.
        case error
        /// Works, but is not as the format asks for.
        case warning
    }

    package let severity: Severity
    /// What it concerns: a document as `collection/id`, a blob's file name, a table.
    package let subject: String
    package let message: String

    package init(severity: Severity, subject: String, message: String) {
        self.severity = severity
        self.subject = subject
        self.message = message
    }

    package var description: String { "\(subject): \(message)" }
}
