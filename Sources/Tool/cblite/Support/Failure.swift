import CouchbaseLiteSwift
import Foundation

/// The reason why output cannot be written.
enum OutputError: Error, CustomStringConvertible {
    /// The reader has closed the pipe, as `head` does. This is not a failure: the tool exits with success.
    case closed
    case failed(errno: Int32)

    var description: String {
        switch self {
        case .closed: "the output was closed"
        case .failed(let code): "cannot write the output: \(String(cString: strerror(code)))"
        }
    }
}

/// The error with which a command ends: a message for the user, an optional hint what to do, and an exit code.
struct Failure: Error {
    let status: ExitReason
    let message: String
    private(set) var hint: String?
    /// Lines that show the place of the error in a query.
    private var place: [String] = []

    init(_ status: ExitReason, _ message: String, hint: String? = nil) { (self.status, self.message, self.hint) = (status, message, hint) }

    /// Creates a failure from any error; `nil` for errors of the argument parser, which prints them itself.
    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as OutputError: self.init(.inputOutput, error.description)
        default:
            if let failure = Failure(engine: error) {
                self = failure
                hint = hint ?? Advice.hint(error)
                return
            }
            // The other errors are those of Foundation, and those of the argument parser, which are not `NSError` objects.
            guard type(of: error) is NSError.Type || error is CocoaError || error is POSIXError,
                let parts = DatabaseError(error as NSError)
            else { return nil }
            self.init(parts)
            hint = hint ?? Advice.hint(database: parts)
        }
    }

    /// Returns the failure with another hint.
    func hinting(_ hint: String) -> Failure {
        var failure = self
        failure.hint = hint
        return failure
    }

    /// The message with the place and the hint, for programs.
    var text: String { ([message] + place + (hint.map { ["Hint: \($0)"] } ?? [])).joined(separator: "\n") }

    /// What every error begins with.
    static let prefix = "cblite: "

    /// Prints the message as `cblite: MESSAGE`, and the hint on an indented line.
    func printToStandardError() {
        let style = Style(for: .standardError)
        var text: TerminalText = "\(style.red(Self.prefix))\(message)\n"
        for line in place { text += "\(style.faint("  \(line)"))\n" }
        if let hint { text += "\(style.faint("  \(hint)"))\n" }
        StandardStreams.printError(text)
    }

    static func noDatabase(_ path: String) -> Failure {
        Failure(
            .notFound,
            "there is no database at \(path)",
            hint: "Check the path, or create a database with: cblite import --create"
        )
    }
}

extension Failure {
    /// Creates a failure from an error of Foundation or of the library's public API.
    private init(_ error: DatabaseError) {
        if let underlying = error.underlyingError, let failure = Failure(underlying) {
            self = failure
            return
        }
        let message = error.message
        switch (error.domain, error.code) {
        case (CBLError.domain, let code): self.init(code, message)
        case (NSCocoaErrorDomain, CocoaError.fileReadNoSuchFile.rawValue),
            (NSCocoaErrorDomain, CocoaError.fileNoSuchFile.rawValue), (NSPOSIXErrorDomain, Int(ENOENT)):
            self.init(.notFound, message)
        case (NSCocoaErrorDomain, CocoaError.fileReadNoPermission.rawValue),
            (NSCocoaErrorDomain, CocoaError.fileWriteNoPermission.rawValue),
            (NSCocoaErrorDomain, CocoaError.fileWriteVolumeReadOnly.rawValue), (NSPOSIXErrorDomain, Int(EACCES)):
            self.init(.noPermission, message)
        case (NSCocoaErrorDomain, CocoaError.fileWriteFileExists.rawValue), (NSPOSIXErrorDomain, Int(EEXIST)):
            self.init(.cannotCreate, message)
        default:
            self.init(.inputOutput, message)
        }
    }

    /// Creates a failure from a code of ``CBLError``.
    private init(_ code: Int, _ message: String) {
        switch code {
        case CBLError.notFound, CBLError.missingIndex: self.init(.notFound, message)
        case CBLError.invalidQuery, CBLError.invalidQueryParam, CBLError.invalidParameter, CBLError.badDocID, CBLError.unsupported:
            self.init(invalidQuery: message)
        case CBLError.busy: self.init(.busy, message)
        case CBLError.notWriteable: self.init(.noPermission, message)
        case CBLError.corruptData, CBLError.corruptRevisionData: self.init(.badData, message)
        case CBLError.unreadableDatabase, CBLError.wrongFormat, CBLError.invalidJSON: self.init(.badData, message)
        case CBLError.databaseTooOld, CBLError.databaseTooNew, CBLError.cantUpgradeDatabase: self.init(.unsupportedVersion, message)
        case CBLError.conflict: self.init(.conflict, message)
        default: self.init(.inputOutput, message)
        }
    }

    /// Creates a failure from the message of an invalid query or argument: the lines after the first one show the place in the query.
    init(invalidQuery message: String) {
        let lines = message.components(separatedBy: "\n")
        self.init(.usage, lines[0], hint: lines[0].contains("is not a valid Meta key") ? "The keys are \(Self.metaKeys)." : nil)
        place = Array(lines.dropFirst())
    }

    /// Returns the failure for a system call that has just failed, from the current `errno`.
    static func system(_ action: String, _ path: String) -> Failure {
        let code = errno
        let message = "cannot \(action) \(path): \(String(cString: strerror(code)))"
        switch code {
        case ENOENT, ENOTDIR: return Failure(.notFound, message)
        case EACCES, EPERM, EROFS: return Failure(.noPermission, message)
        case EEXIST, ENOTEMPTY: return Failure(.cannotCreate, message)
        default: return Failure(.inputOutput, message)
        }
    }
}
