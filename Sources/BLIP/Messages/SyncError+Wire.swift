import SyncCore

extension SyncError {
    /// Creates the error that a response of type ERR reports (Replication 2.9).
    ///
    /// An unknown domain becomes LiteCore's "the remote side reports an error" (Replication 3.14).
    init(reportedBy properties: Properties, _ body: [UInt8]) {
        let message = String(decoding: body, as: UTF8.self)
        let domain = properties["Error-Domain"].map { Domain(rawValue: $0) } ?? .blip
        let code = properties["Error-Code"].flatMap { Int($0) } ?? 0
        if let domain, code != 0 {
            self.init(domain, code, message)
        } else {
            self.init(engine: .remoteError, message)
        }
    }
}

extension OutgoingMessage {
    /// Creates a response that reports an error (Replication 2.9), in terms of the wire: HTTP statuses have a domain of their own there,
    /// and a delta that cannot be applied is a 422 (Replication 3.14).
    init(reporting error: SyncError) {
        var (domain, code) = (error.domain, error.code)
        if error.isEngine(.deltaBaseUnknown, .corruptDelta) {
            (domain, code) = (.http, 422)
        } else if domain == .webSocket, code < 1000 {
            domain = .http
        }
        self.init(["Error-Domain": domain.rawValue, "Error-Code": String(code)], body: Array(error.message.utf8))
    }
}
