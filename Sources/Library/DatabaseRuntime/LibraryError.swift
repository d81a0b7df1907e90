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
        let name = isLibrary ? Self.names[code].map { "." + $0 } ?? "" : ""
        // The property of the same name would repeat the description of an error of the operating system.
        let reason = (userInfo[NSLocalizedFailureReasonErrorKey] as? String).map { " (\($0))" } ?? ""
        let text = localizedDescription + reason
        let hasExcerpt = isLibrary && code == Code.invalidQuery
        return "\(domain)\(name) (\(code)): \(hasExcerpt ? text : text.split(whereSeparator: \.isNewline).joined(separator: " "))"
    }

    /// An archive contains a plain `NSError`, which every program can read.
    override package var classForCoder: AnyClass { NSError.self }

    /// The names of the codes, by their numbers (API 14).
    package static let names: [Int: String] = [
        1: "assertionFailed", 2: "unimplemented", 3: "unsupportedEncryption", 4: "badRevisionID", 5: "corruptRevisionData", 6: "notOpen",
        7: "notFound", 8: "conflict", 9: "invalidParameter", 10: "unexpectedError", 11: "cantOpenFile", 12: "ioError", 13: "memoryError",
        14: "notWriteable", 15: "corruptData", 16: "busy", 17: "notInTransaction", 18: "transactionNotClosed", 19: "unsupported",
        20: "unreadableDatabase", 21: "wrongFormat", 22: "crypto", 23: "invalidQuery", 24: "missingIndex", 25: "invalidQueryParam",
        26: "remoteError", 27: "databaseTooOld", 28: "databaseTooNew", 29: "badDocID", 30: "cantUpgradeDatabase", 5001: "dnsFailure",
        5002: "unknownHost", 5003: "timeout", 5004: "invalidURL", 5005: "tooManyRedirects", 5006: "tlsHandshakeFailed",
        5007: "tlsCertExpired", 5008: "tlsCertUntrusted", 5009: "tlsClientCertRequired", 5010: "tlsClientCertRejected",
        5011: "tlsCertUnknownRoot", 5012: "invalidRedirect", 5027: "unknownInterface", 10401: "httpAuthRequired", 10403: "httpForbidden",
        10404: "httpNotFound", 10407: "httpProxyAuthRequired", 10409: "httpConflict", 10413: "httpEntityTooLarge", 10418: "httpImATeapot",
        10500: "httpInternalServerError", 10501: "httpNotImplemented", 10503: "httpServiceUnavailable", 11001: "webSocketGoingAway",
        11002: "webSocketProtocolError", 11003: "webSocketDataError", 11006: "webSocketAbnormalClose", 11007: "webSocketBadMessageFormat",
        11008: "webSocketPolicyError", 11009: "webSocketMessageTooBig", 11010: "webSocketMissingExtension", 11011: "webSocketCantFulfill",
        14001: "webSocketCloseUserTransient", 14002: "webSocketCloseUserPermanent", 17001: "invalidJSON", 18001: "decodingError",
        18002: "encodingError",
    ]
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
