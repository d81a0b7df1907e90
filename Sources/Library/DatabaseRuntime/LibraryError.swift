package import Foundation

/// An `NSError` of this library, which `print` shows in one line that has the name of its code, such as `CouchbaseLite.notFound (7): …`.
///
/// An invalid query is followed by its line and a mark under the place of the error.
package final class LibraryError: NSError, @unchecked Sendable {
    // Unchecked like `NSError` itself. The class adds no state.

    /// The domain of the errors whose codes have names.
    package static let domain = "CouchbaseLite"

    override package var description: String {
        let isLibrary = domain == Self.domain
        let name = isLibrary ? LibraryErrorCode.all[code].map { "." + $0.name } ?? "" : ""
        // The property of the same name would repeat the description of an error of the operating system.
        let reason = (userInfo[NSLocalizedFailureReasonErrorKey] as? String).map { " (\($0))" } ?? ""
        let text = localizedDescription + reason
        let hasExcerpt = isLibrary && code == Code.invalidQuery
        return "\(domain)\(name) (\(code)): \(hasExcerpt ? text : text.split(whereSeparator: \.isNewline).joined(separator: " "))"
    }

    /// An archive contains a plain `NSError`, which every program can read.
    override package var classForCoder: AnyClass { NSError.self }
}

/// Records the error of code of the app that is called by code of the library, so that it can be thrown unchanged while errors of the library
/// are converted.
package struct AppErrors {
    /// The last error of the app; `nil` if there was none.
    package private(set) var thrown: (any Error)?

    package init() {}

    /// Calls code of the app.
    package mutating func record<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            thrown = error
            throw error
        }
    }
}
