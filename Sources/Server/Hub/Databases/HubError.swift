#if Replication
import DocumentStore
import Fleece
import Foundation
import Base
import Replication
import SyncCore
import WebServer

/// The errors of the API, with the names that Sync Gateway uses.
enum HubError {
    static let missing = WebError(404, "missing", error: "not_found")
    static let deleted = WebError(404, "deleted", error: "not_found")
    static let noDatabase = WebError(404, "no such database", error: "not_found")
    static let unknownURL = WebError(404, "unknown URL", error: "not_found")
    static let forbidden = WebError(403, "missing channel access", error: "Forbidden")
    static let conflict = WebError(409, "Document revision conflict", error: "conflict")
    static let exists = WebError(409, "Document exists", error: "conflict")
    static let databaseExists = WebError(412, "The database exists", error: "file_exists")
    static let noCreation = WebError(403, "Databases are not created by requests", error: "Forbidden")
    static let unauthorized = WebError(
        401,
        "Login required",
        error: "Unauthorized",
        headers: [("WWW-Authenticate", #"Basic realm="Couchbase Lite", charset="UTF-8""#)]
    )
    static let tooManyPasswords = WebError(429, "Too many wrong passwords", headers: [("Retry-After", "60")])
    /// The client has gone, or the hub stops: nobody waits for this response.
    private static let cancelled = WebError(503, "The request was cancelled")
    private static let damaged = WebError(500, "The document is damaged", error: "Internal Server Error")
    private static let busy = WebError(503, "The database is locked by another program", headers: [("Retry-After", "5")])
    private static let diskFull = WebError(503, "The disk of the hub is full")
    static let tooManyQueries = WebError(503, "Too many queries are running", headers: [("Retry-After", "5")])
    static let tooManyLargeDocuments = WebError(503, "Too many large documents are requested", headers: [("Retry-After", "5")])
    static let tooManyWaitingPasswords = WebError(503, "Too many passwords are being checked", headers: [("Retry-After", "5")])

    /// The error of a request whose method the path does not have.
    static func wrongMethod(_ allowed: String) -> WebError {
        WebError(405, "The method is not supported here; supported are: \(allowed)", headers: [("Allow", allowed)])
    }

    static func badRequest(_ reason: String) -> WebError { WebError(400, reason) }

    /// Returns the response to an error of the layers below.
    static func of(_ error: any Error) -> WebError {
        if let error = error as? WebError { return error }
        if error is CancellationError { return cancelled }
        if case StoreError.corruptDocument = error {
            EngineLog.log(.error, .database, "\(error), and cannot be sent to clients")
            return damaged
        }
        if let refusal = error as? HubRefusal { return WebError(refusal.status, "The hub refuses requests") }
        let sync = SyncError(error)
        switch (sync.domain, sync.code) {
        case (.liteCore, EngineCode.conflict.rawValue): return conflict
        case (.liteCore, EngineCode.notFound.rawValue): return missing
        case (.liteCore, EngineCode.badDocID.rawValue): return badRequest("The ID of the document is not valid")
        case (.liteCore, EngineCode.corruptRevisionData.rawValue), (.liteCore, EngineCode.invalidParameter.rawValue),
            (.liteCore, EngineCode.badRevisionID.rawValue):
            return badRequest(sync.message)
        case (.liteCore, EngineCode.busy.rawValue): return busy
        case (.posix, Int(ENOSPC)), (.posix, Int(EDQUOT)): return diskFull
        case (.http, let status) where (400..<600).contains(status): return WebError(status, sync.message)
        default:
            EngineLog.log(.warning, .listener, "Hub: a request failed: \(sync)")
            return WebError(500, "The database could not be used", error: "Internal Server Error")
        }
    }
}

/// The refusal of a request by ``HubOptions/beforeRequest``.
package struct HubRefusal: Error, Sendable {
    /// The status of the response.
    package let status: Int

    package init(status: Int) { self.status = status }
}

/// Parses the JSON body of a request, or another part of it that `name` names.
func parsedJSON(_ bytes: [UInt8], of name: String = "The body") throws(WebError) -> FleeceData {
    do {
        return try FleeceData.parsing(json: bytes)
    } catch {
        throw WebError(400, "\(name) is not valid JSON: \(error)")
    }
}

/// Parses a JSON body that must be an object, and passes it to `body`.
func withJSONObject<Result>(_ bytes: [UInt8], _ body: (DictionaryValue) throws -> Result) throws -> Result {
    try withJSONObject(parsedJSON(bytes), body)
}

/// Passes a parsed JSON body, which must be an object, to `body`.
func withJSONObject<Result>(_ data: FleeceData, _ body: (DictionaryValue) throws -> Result) throws -> Result {
    let result = try data.withRoot { root -> Result? in
        guard let dictionary = root.dictionary else { return nil }
        return try body(dictionary)
    }
    guard let result = result ?? nil else { throw HubError.badRequest("The body must be a JSON object") }
    return result
}

extension DictionaryValue {
    /// Returns a member of an object in a request; `nil` if there is none, or null.
    ///
    /// - Parameter kind: What the member must be, for the error.
    /// - Throws: ``WebError`` 400 if `convert` returns `nil`: without the member, the request would mean something else.
    func optional<Result>(_ name: String, _ kind: String, _ convert: (Value) -> Result?) throws -> Result? {
        guard let value = self.value(for: name), !value.isNull else { return nil }
        guard let result = convert(value) else { throw HubError.badRequest("\(name) must be \(kind)") }
        return result
    }
}
#endif
