import CouchbaseLiteSwift
import Foundation

/// What helps against an error: the hint of the library (``DatabaseError/hint``), except where that names functions of the API, which a user of
/// this tool cannot call.
enum Advice {
    /// The advice for codes of ``CBLError`` for which that of the library is about the API; `nil` where the message of the tool says enough.
    private static let ofTool: [Int: String?] = [
        CBLError.notOpen: nil,
        CBLError.notFound: nil,
        CBLError.conflict: "Run the command again.",
        CBLError.unexpectedError: nil,
        CBLError.ioError: nil,
        CBLError.notWriteable: "Check the permissions of the directory and the files in it.",
        CBLError.corruptData: check,
        CBLError.corruptRevisionData: check,
        CBLError.busy: "Close the other program, or wait longer with --busy-timeout SECONDS.",
        CBLError.notInTransaction: nil,
        CBLError.transactionNotClosed: nil,
        CBLError.unsupported: nil,
        CBLError.invalidQuery: nil,
        CBLError.invalidParameter: nil,
        CBLError.missingIndex: "Create the index with: cblite index create DATABASE NAME EXPRESSION",
        CBLError.invalidQueryParam: "Give the values of parameters with --param NAME=JSON, without $.",
        CBLError.databaseTooOld:
            "Any command that writes upgrades databases of release 1.1 and later, for example: cblite compact DATABASE",
        CBLError.databaseTooNew: "Open it with a newer version of this tool.",
        CBLError.cantUpgradeDatabase: nil,
        CBLError.invalidJSON: nil,
        CBLError.httpProxyAuthRequired: nil,
    ]

    static let check = "Look for other damage with: cblite check DATABASE"
    static let diskIsFull = "Free disk space."
    /// The advice for a property whose key a document cannot have.
    static let renameProperty = "Rename the property."
    /// The advice for an encrypted file that was opened without a key.
    static let giveKey = "Give --password, --password-file FILE or --key-file FILE."

    /// Returns the advice for a code of ``CBLError``; `nil` if there is none.
    static func hint(code: Int) -> String? {
        if let own = ofTool[code] { return own }
        return DatabaseError(NSError(domain: CBLError.domain, code: code))?.hint
    }

    /// Returns the advice for an error of the library or of the system; `nil` if there is none.
    static func hint(database error: DatabaseError) -> String? {
        switch (error.domain, error.code) {
        case (CBLError.domain, let code): hint(code: code)
        case (NSPOSIXErrorDomain, Int(ENOSPC)), (sqliteDomain, sqliteFull): diskIsFull
        default: nil
        }
    }

    /// The domain of the errors of SQLite, and its code for a full disk (sqlite3.h, SQLITE_FULL).
    private static let sqliteDomain = "CouchbaseLite.SQLite"
    private static let sqliteFull = 13
}
