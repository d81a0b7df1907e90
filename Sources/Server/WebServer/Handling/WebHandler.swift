#if Replication
/// What responds to the requests of a ``WebServer``.
package protocol WebHandler: Sendable {
    /// Returns the maximum size of the body of a request in bytes. Called on an event loop, so it must return at once.
    ///
    /// - Parameters:
    ///   - method: The method, in capital letters.
    ///   - path: The decoded segments of the path.
    func maximumBodyBytes(method: String, path: [String]) -> Int

    /// Returns the response to a request. Called on a thread of the server's pool, which has a limited number of threads; it may block for the
    /// time of a database operation. The task is cancelled when the client closes the connection.
    ///
    /// - Throws: ``WebError`` for a response with an error as JSON. Other errors result in the status 500.
    func respond(to request: WebRequest) async throws -> WebResponse
}

extension WebHandler {
    /// 1 MiB for each request.
    package func maximumBodyBytes(method: String, path: [String]) -> Int { 1 << 20 }
}
#endif
