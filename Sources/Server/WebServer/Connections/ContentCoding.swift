#if Replication
import Transport

/// The compression of bodies (RFC 9110, 8.4 and 12.5.3): gzip, or none.
enum ContentCoding {
    /// The size in bytes from which compressing a response is worth it.
    private static let minimumSize = 1024

    /// Returns whether the client accepts gzip: it is named with a weight other than 0, or `*` is and gzip is not.
    static func acceptsGzip(_ headers: HTTPFields) -> Bool {
        var acceptsAny = false
        for token in headers.tokens(of: "Accept-Encoding") {
            let parts = token.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            guard let name = parts.first else { continue }
            let isAccepted = !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
            if name == "gzip" || name == "x-gzip" { return isAccepted }
            if name == "*" { acceptsAny = isAccepted }
        }
        return acceptsAny
    }

    /// Returns the response in the form in which it is sent to a client that accepts gzip. Texts and JSON are compressed, but not a content
    /// of which a client may request ranges: they are ranges of its bytes as they are.
    static func compressed(_ response: WebResponse) -> WebResponse {
        guard isText(response.headers["Content-Type"] ?? ""), response.headers["Accept-Ranges"] == nil,
            response.headers["Content-Encoding"] == nil
        else { return response }
        var compressed = response
        // Caches must not give a compressed response to other clients.
        compressed.headers.append("Vary", "Accept-Encoding")
        switch response.body {
        case .bytes(let bytes):
            guard bytes.count >= minimumSize, let encoder = GzipEncoder() else { return compressed }
            compressed.body = .bytes(encoder.end(bytes))
        case .stream(_, let produce):
            compressed.body = .stream(length: nil) { writer in
                guard let encoder = GzipEncoder() else { throw WebError(503, "There is not enough memory") }
                var compressing = WebResponseWriter { try await writer.write(encoder.part($0)) }
                compressing.sendCounted = { try await writer.write(encoder.part($0), isCounted: true) }
                try await produce(compressing)
                try await writer.write(encoder.end())
            }
        case .webSocket: return response
        }
        compressed.headers.append("Content-Encoding", "gzip")
        return compressed
    }

    private static func isText(_ contentType: String) -> Bool {
        ["application/json", "text/", "multipart/"].contains { contentType.lowercased().hasPrefix($0) }
    }

    /// Returns what decompresses the body of a request; `nil` if it is not compressed.
    ///
    /// - Throws: ``WebError``: 415 for other codings than gzip.
    static func decoder(_ headers: HTTPFields) throws(WebError) -> GzipDecoder? {
        let codings = headers.tokens(of: "Content-Encoding").map { $0.lowercased() }.filter { $0 != "identity" }
        guard let coding = codings.first else { return nil }
        guard codings.count == 1, coding == "gzip" || coding == "x-gzip" else {
            throw WebError(415, "The server accepts bodies without compression, or in gzip", headers: [("Accept-Encoding", "gzip")])
        }
        guard let decoder = GzipDecoder() else { throw WebError(503, "There is not enough memory") }
        return decoder
    }
}
#endif
