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
            self.init(.liteCore, Self.remoteError, message)
        }
    }

    /// LiteCore's code for an error that the remote side reports and that has no local equivalent.
    private static let remoteError = 26
}

extension OutgoingMessage {
    /// Creates a response that reports an error (Replication 2.9), in terms of the wire: HTTP statuses have a domain of their own there,
    /// and a delta that cannot be applied is a 422 (Replication 3.14).
    init(reporting error: SyncError) {
        var (domain, code) = (error.domain, error.code)
        switch (domain, code) {
        case (.webSocket, ..<1000): domain = .http
        case (.liteCore, 31), (.liteCore, 32): (domain, code) = (.http, 422)
        default: break
        }
        self.init(["Error-Domain": domain.rawValue, "Error-Code": String(code)], body: Array(error.message.utf8))
    }
}
