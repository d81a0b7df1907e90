#if Replication
import Foundation
import NIOHTTP1

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
