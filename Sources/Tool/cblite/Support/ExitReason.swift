/// The exit codes of the tool, one for each kind of failure. The numbers from 64 are those of `sysexits.h`.
enum ExitReason: Int32, CaseIterable {
    case success = 0
    case problemsFound = 1
    case usage = 64
    case badData = 65
    case notFound = 66
    case unreachable = 68
    case busy = 69
    case internalError = 70
    case cannotCreate = 73
    case inputOutput = 74
    case conflict = 75
    case refused = 76
    case noPermission = 77
    case unsupportedVersion = 78

    var meaning: String {
        switch self {
        case .success: "success"
        case .problemsFound: "check found errors, databases differ, or documents were not replicated"
        case .usage: "invalid command, argument or query"
        case .badData: "invalid JSON input, or a file that is damaged or not a database"
        case .notFound: "database, collection, document or file not found"
        case .unreachable: "the other side of a replication cannot be reached, or the port is in use"
        case .busy: "another process has locked the database or has it open"
        case .internalError: "internal error"
        case .cannotCreate: "the database, document or file to create already exists"
        case .inputOutput: "reading or writing failed"
        case .conflict: "the document was changed concurrently"
        case .refused: "the other side of a replication refused, or violated the protocol"
        case .noPermission: "permission denied, or the file or its medium is read-only"
        case .unsupportedVersion: "the file version is too old or too new"
        }
    }

    /// The section of the help text that lists the codes.
    static var table: String {
        let lines = allCases.map { status in
            "  \(String(status.rawValue).padded(to: 4))\(status.meaning)"
        }
        return (["EXIT CODES:"] + lines).joined(separator: "\n")
    }
}
