#if Replication
import BLIP
import Transport

extension HandshakeFuzzing {
    /// A parsed head, and the bytes after it.
    private struct Read<Head: Equatable>: Equatable {
        let head: Head
        let rest: [UInt8]
    }

    /// Tests a request as read and answered by a listener (Replication 6.1).
    mutating func examineRequest(_ bytes: [UInt8]) {
        let read = head(bytes) { parser throws(HTTPSyntaxError) in try parser.request() }
        guard let head = read?.head else { return refuse() }
        accept()
        do {
            let again = try self.head(head.encoded()) { parser throws(HTTPSyntaxError) in try parser.request() }
            if again?.head != head { fail("the request \(head) is another when it is read again") }
        } catch {
            fail("the request \(head) was read and cannot be written: \(error)")
        }
        var configuration = ListenerConfiguration(subprotocols: GoodInputs.subprotocols) {
            $0 == "db" || $0 == "a/b"
        }
        let asksForPassword = Bool.random(using: &input.generator)
        if asksForPassword { configuration.authenticator = { $0.username == "anna" && $0.password == "letmein" } }
        do throws(ServerHandshake.Refusal) {
            let accepted = try ServerHandshake(configuration).answer(head)
            if !GoodInputs.subprotocols.contains(accepted.subprotocol)
                || asksForPassword && accepted.username != "anna"
            {
                fail("the listener agrees to \(accepted)")
            }
            let key = head.fields["Sec-WebSocket-Key"] ?? ""
            if (try? WebSocketHandshake.check(accepted.response, key: key, offered: GoodInputs.subprotocols)) == nil {
                fail("a client does not understand \(accepted.response)")
            }
        } catch {
            let answer = self.head(error.encoded()) { parser throws(HTTPSyntaxError) in try parser.response() }
            if answer?.head.status != error.status { fail("the refusal \(error.status) is not read again") }
        }
    }

    /// Tests a response as read by a client: a successful handshake, a redirect, or an error.
    mutating func examineResponse(_ bytes: [UInt8]) {
        guard let read = head(bytes, { parser throws(HTTPSyntaxError) in try parser.response() }) else { return refuse() }
        accept()
        let response = HTTPResponse(head: read.head, body: body(read.rest, after: read.head))
        if let subprotocol = try? WebSocketHandshake.check(
            read.head,
            key: GoodInputs.key,
            offered: GoodInputs.subprotocols
        ), !GoodInputs.subprotocols.contains(subprotocol) {
            fail("the client agrees to \(subprotocol)")
        }
        followRedirect(response)
    }

    private mutating func followRedirect(_ response: HTTPResponse) {
        do {
            let url = try EndpointURL(endpoint: "wss://db.example.com/db").effective
            var configuration = ClientConfiguration(url: url, subprotocols: GoodInputs.subprotocols)
            configuration.authentication = .basic(BasicCredentials(username: "anna", password: "letmein"))
            var route = ClientRoute(url: url, proxy: nil)
            // Both a redirect and an error are valid results.
            guard (try? route.follow(response)) != nil else { return }
            if route.sendsCredentials, route.url.host != url.host || !route.url.isSecure {
                fail("credentials go to \(route.url.string)")
            }
            let request = try ClientRequest(configuration: configuration)
                .upgrade(to: route.url, key: GoodInputs.key, sendsCredentials: route.sendsCredentials)
            let sent = head(request) { parser throws(HTTPSyntaxError) in try parser.request() }
            if sent?.head.target != route.url.target
                || sent?.head.fields.values(of: "Host") != [route.url.hostField]
            {
                fail("the request after a redirect to \(route.url.string) is not the one that was meant")
            }
        } catch {
            fail("a redirect is followed and then fails: \(error)")
        }
    }

    /// Parses a head at once and in pieces, and checks that the results are the same.
    ///
    /// - Returns: `nil` if the head is invalid or incomplete.
    private mutating func head<Head: Equatable>(_ bytes: [UInt8], _ head: (HTTPHeadParser) throws(HTTPSyntaxError) -> Head) -> Read<Head>? {
        func read(_ pieces: [ArraySlice<UInt8>]) -> Read<Head>? {
            var parser = HTTPHeadParser()
            do throws(HTTPSyntaxError) {
                var isComplete = false
                for piece in pieces { isComplete = try parser.append(piece) }
                return isComplete ? Read(head: try head(parser), rest: parser.rest) : nil
            } catch {
                return nil
            }
        }
        let whole = read([bytes[...]])
        let cut = read(input.pieces(of: bytes))
        if whole != cut { fail("a head of \(bytes.count) bytes is another when it comes in pieces") }
        return whole
    }

    private mutating func body(_ bytes: [UInt8], after head: HTTPResponseHead) -> [UInt8] {
        let limit = input.pick([0, 10, 1000])
        func read(_ pieces: [ArraySlice<UInt8>]) -> [UInt8] {
            var reader = HTTPBodyReader(after: head, limit: limit)
            for piece in pieces { reader.append(piece) }
            return reader.body
        }
        let whole = read([bytes[...]])
        if whole != read(input.pieces(of: bytes)) { fail("a body is another when it comes in pieces") }
        if whole.count > limit { fail("a body of \(whole.count) bytes was kept") }
        return whole
    }
}
#endif
