import DocumentStore
import Fleece
import Foundation
import QueryLanguage
import SQLiteEngine

/// The answer to a call of the API.
struct APIResponse: Sendable {
    var status = 200
    var contentType = "application/json; charset=utf-8"
    /// More headers, by their names.
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    static func json(_ object: AnswerObject) -> APIResponse { APIResponse(body: JSONWriter.text(of: object)) }

    static func json(_ objects: [AnswerObject]) -> APIResponse { APIResponse(body: JSONWriter.text(of: objects)) }
}

/// The error of a call, with the status of HTTP and a message for the user.
struct APIError: Error {
    enum Reason: Int {
        case badRequest = 400
        case unauthorized = 401
        case forbidden = 403
        case notFound = 404
        case badMethod = 405
        case timeout = 408
        case conflict = 409
        case tooLarge = 413
        case badType = 415
        case badRange = 416
        case misdirected = 421
        case locked = 423
        case busy = 429
        case cancelled = 499
        case failed = 500
    }

    let reason: Reason
    let message: String
    /// Members that are added to the answer.
    var details: AnswerObject = [:]

    init(_ reason: Reason, _ message: String, details: AnswerObject = [:]) {
        self.reason = reason
        self.message = message
        self.details = details
    }

    /// Creates the error of a lower layer.
    init(_ error: any Error) {
        switch error {
        case let error as APIError: self = error
        case let error as QueryError:
            let offset: AnswerObject = error.offset.map { ["offset": $0] } ?? [:]
            self.init(.badRequest, error.description, details: offset)
        case let error as StoreError: self.init(Self.reason(of: error), error.description)
        case let error as SQLiteError: self.init(error.isBusy ? .locked : .failed, error.description)
        case let error as BlobError: self.init(.failed, error.description)
        case let error as FleeceError: self.init(.failed, "the data cannot be read: \(error.description)")
        case is CancellationError: self.init(.cancelled, "the operation was cancelled")
        default: self.init(error as NSError)
        }
    }

    private init(_ error: NSError) {
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error {
            self.init(underlying)
        } else {
            self.init(.badRequest, error.localizedDescription)
        }
    }

    private static func reason(of error: StoreError) -> Reason {
        switch error {
        case .missing, .notFound, .notOpen: .notFound
        case .locked, .inUse, .inTransaction, .batchOfAnother, .insideRead, .insideModel: .locked
        case .conflict, .alreadyExists: .conflict
        case .notWritable, .readOnlyMedium: .forbidden
        case .invalidDocumentID, .invalidCollectionName, .invalidDatabaseName, .reservedKey, .cannotDeleteDefaultCollection: .badRequest
        default: .failed
        }
    }

    /// The error as the page receives it.
    var value: AnswerObject { ["error": message] + details }

    var response: APIResponse { APIResponse(status: reason.rawValue, body: JSONWriter.text(of: value)) }
}
