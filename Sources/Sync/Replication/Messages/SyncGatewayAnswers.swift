import Base
import Fleece
import SyncCore

/// The differences between the answers of Sync Gateway and those of a listener (Replication 8), for a session that stands in for Sync
/// Gateway.
enum SyncGatewayAnswers {
    /// Returns an error with the domain and the text that Sync Gateway uses for it.
    static func error(_ error: SyncError) -> SyncError {
        switch (error.domain, error.code) {
        case (.http, HTTPStatusCode.badRequest.rawValue) where error.message.hasPrefix("Invalid revision ID"):
            SyncError(http: .badRequest, "Invalid revision ID")
        case (.liteCore, EngineCode.conflict.rawValue), (.webSocket, HTTPStatusCode.conflict.rawValue):
            SyncError(http: .conflict, "Document revision conflict")
        case (.liteCore, EngineCode.notFound.rawValue): SyncError(http: .notFound, error.message)
        case (.liteCore, EngineCode.badDocID.rawValue), (.liteCore, EngineCode.corruptRevisionData.rawValue),
            (.liteCore, EngineCode.invalidParameter.rawValue), (.liteCore, EngineCode.badRevisionID.rawValue):
            SyncError(http: .badRequest, error.message)
        case (.blip, let status) where status != HTTPStatusCode.notFound.rawValue: SyncError(.http, status, error.message)
        default: error
        }
    }

    /// Returns the error for a blob that the client of a pushed revision did not deliver.
    static func blobError(_ error: SyncError) -> SyncError {
        guard [.http, .blip, .webSocket].contains(error.domain), error != .blobTooLarge else { return self.error(error) }
        return SyncError(.http, 500, "error \(error.code) from getAttachment")
    }

    /// Checks that a pushed body contains no properties that are reserved at its top level. Returns the body, parsed; `nil` if it contains no
    /// property whose name begins with an underscore, or is not valid JSON.
    static func checkReserved(_ body: [UInt8]) throws(SyncError) -> FleeceData? {
        // Most bodies contain no name with an underscore.
        guard zip(body, body.dropFirst()).contains(where: { $0 == UInt8(ascii: "\"") && $1 == UInt8(ascii: "_") }),
            let data = try? FleeceData.parsing(json: body)
        else { return nil }
        let found = data.withRoot { root -> String? in
            guard let dictionary = root.dictionary else { return nil }
            for (key, _) in dictionary.pairs {
                if let name = key.text(.empty), isReserved(name) { return name }
            }
            return nil
        }
        guard let name = found ?? nil else { return data }
        let isKnown = notFound.contains { $0.isExactly(name) }
        throw SyncError(
            http: isKnown ? .notFound : .badRequest,
            "top-level property '\(name)' is a reserved internal property therefore cannot be assigned by the client"
        )
    }

    private static let notFound = ["_id", "_rev", "_deleted", "_revisions", "_sync"]

    private static func isReserved(_ name: String) -> Bool {
        notFound.contains { $0.isExactly(name) } || name.isExactly("_purged") || name.beginsExactly(with: "_sync_")
    }
}
