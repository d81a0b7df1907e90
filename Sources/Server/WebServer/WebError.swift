#if Replication
import Foundation
import NIOHTTP1

/// An error that the client receives as a response: `{"error":"Not Found","reason":"…"}`.
package struct WebError: Error, Sendable, CustomStringConvertible {
    /// The status code of the response, from 400.
    package let status: Int
    /// The short name of the error. The reason phrase of the status, unless specified.
    package let error: String
    /// What is wrong with the request, for people.
    package let reason: String
    /// Further header fields of the response.
    package var headers: [(name: String, value: String)] = []

    /// Creates an error.
    ///
    /// - Parameter error: The short name; `nil`, the default, for the reason phrase of the status.
    package init(_ status: Int, _ reason: String, error: String? = nil, headers: [(name: String, value: String)] = []) {
        self.status = status
        self.error = error ?? WebStatus.phrase(status)
        self.reason = reason
        self.headers = headers
    }

    package var description: String { "\(status) \(reason)" }

    static let headTooLarge = WebError(431, "The head of the request is too large", error: "Request Header Fields Too Large")
    /// The error of a response for which there is not enough memory.
    package static let tooManyLargeResponses = WebError(503, "Too many large responses at the same time", headers: [("Retry-After", "1")])
    static let tooManyLargeRequests = WebError(503, "Too many large requests at the same time", headers: [("Retry-After", "1")])
    static let bodyTooLarge = WebError(413, "The body of the request is too large")
}

/// The texts of statuses.
enum WebStatus {
    /// Returns the reason phrase of a status, as HTTP defines it.
    static func phrase(_ status: Int) -> String { HTTPResponseStatus(statusCode: status).reasonPhrase }

    private struct Body: Encodable {
        let error: String
        let reason: String
    }

    /// Returns the JSON that describes an error.
    static func json(_ error: WebError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding two strings cannot fail.
        return Array((try? encoder.encode(Body(error: error.error, reason: error.reason))) ?? Data("{}".utf8))
    }
}
#endif
