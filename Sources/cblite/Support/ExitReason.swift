/// With which code the tool ends, by the kind of failure. The numbers from 64 are those of `sysexits.h`.
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
        case .success: "all went well"
        case .problemsFound: "check found something wrong, or documents did not go over"
        case .usage: "the command, an argument or a query makes no sense"
        case .badData: "input that is not JSON, or a file that is damaged or no database"
        case .notFound: "no such database, collection, document or file"
        case .unreachable: "the other side of a replication cannot be reached"
        case .busy: "another process has locked the database or has it open"
        case .internalError: "an error that should not occur"
        case .cannotCreate: "what was to be created is there already"
        case .inputOutput: "reading or writing failed"
        case .conflict: "somebody else changed the document meanwhile"
        case .refused: "the other side of a replication refuses, or breaks the protocol"
        case .noPermission: "the file or its medium is read-only, or the user may not do it"
        case .unsupportedVersion: "the file is of a release too old or too new"
        }
    }

    /// The codes as a section of the help text.
    static var table: String {
        let lines = allCases.map { status in
            "  \(String(status.rawValue).padded(to: 4))\(status.meaning)"
        }
        return (["EXIT CODES:"] + lines).joined(separator: "\n")
    }
}
