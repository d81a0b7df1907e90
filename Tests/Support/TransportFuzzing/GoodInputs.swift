#if Replication
import Foundation

/// Valid inputs.
package enum GoodInputs {
    package static let subprotocols = ["BLIP_3+CBMobile_4", "BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]
    /// The key of a handshake, and the server's response to it (RFC 6455, 1.3).
    package static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let acceptance = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    package static let requests = lines([
        """
        GET /db/_blipsync HTTP/1.1
        Host: example.com:4984
        User-Agent: CouchbaseLite/3.2.0 (Java; Android 14; Pixel) Build/1
        Authorization: Basic YW5uYTpsZXRtZWlu
        Connection: Upgrade
        Upgrade: websocket
        Sec-WebSocket-Version: 13
        Sec-WebSocket-Key: \(key)
        Sec-WebSocket-Protocol: BLIP_3+CBMobile_4, BLIP_3+CBMobile_3


        """,
        """
        GET /a%2Fb/_blipsync?x=1 HTTP/1.1
        host:[::1]:4984
        connection: keep-alive, Upgrade
        upgrade: WebSocket
        sec-websocket-version: 13
        sec-websocket-key: \(key)
        Sec-WebSocket-Protocol: BLIP_3+CBMobile_2
        Sec-WebSocket-Protocol: BLIP_3+CBMobile_3
        Cookie: SyncGatewaySession=0123; a=b


        """,
    ])

    package static let responses = lines([
        """
        HTTP/1.1 101 Switching Protocols
        Connection: Upgrade
        Upgrade: websocket
        Sec-WebSocket-Accept: \(acceptance)
        Sec-WebSocket-Protocol: BLIP_3+CBMobile_4
        X-Correlation-Id: c0ffee


        """,
        """
        HTTP/1.1 103 Early Hints
        Link: </x>

        HTTP/1.1 401 Unauthorized
        Content-Type: application/json; charset=utf-8
        Content-Length: 50

        {"error":"Unauthorized","reason":"Invalid login"}
        """,
        """
        HTTP/1.1 404 Nicht gefunden – é
        Content-Type: application/json
        Transfer-Encoding: chunked

        1c
        {"error":"x","reason":"no ac
        7;name=value
        cess!"}
        0


        """,
        """
        HTTP/1.1 302 Found
        Location: https://other.example:4985/db/_blipsync?x#y
        Set-Cookie: a=b; Path=/db; Secure


        """,
        "HTTP/1.0 307 x\nLocation: /elsewhere/_blipsync\n\n",
        "HTTP/1.1 305 Use Proxy\nLocation: http://proxy.example:3128\n\n",
        "HTTP/1.1 503 Service Unavailable\n\nbusy until the end of the connection",
    ])

    package static let cookies = [
        "SyncGatewaySession=0123456789abcdef; Path=/db/; Expires=Wed, 21 Oct 2037 07:28:00 GMT; HttpOnly; Secure",
        "a=\"b c\"; Domain=.example.com; Max-Age=3600; SameSite=Lax",
        "x=; expires=Sun Nov  6 08:49:37 1994",
        "y=z; Domain=db.example.com; expires=Sunday, 06-Nov-94 08:49:37 GMT",
        "grüße=é",
    ].map { Array($0.utf8) }

    /// A self-signed certificate for `localhost` (P-256).
    package static let certificate = [UInt8](
        Data(
            base64Encoded: """
                MIIB8TCCAZagAwIBAgIUPTxSO9zXrdTaqp/0BmMpMmC0KHEwCgYIKoZIzj0EAwIwMzELMAkGA1UEBhMCREUxEDAOBgNVBAoMB0V4
                YW1wbGUxEjAQBgNVBAMMCWxvY2FsaG9zdDAgFw0yNjExMjIwMDQ5MTlaGA8yMTI2MTAyOTAwNDkxOVowMzELMAkGA1UEBhMCREUx
                EDAOBgNVBAoMB0V4YW1wbGUxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABGbiVRF3iFCKl8WD
                jE1sK1wfM5e5KJiRnaVKaOAem1FqTJ50ONG/GHWLqY2eW5uPyFAM71+5my3gxxEtoLj7b+WjgYUwgYIwHQYDVR0OBBYEFImZnjaF
                y8eEp+sUceoS0UMfPZQzMB8GA1UdIwQYMBaAFImZnjaFy8eEp+sUceoS0UMfPZQzMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMw
                EYIJbG9jYWxob3N0hwR/AAABMBMGA1UdJQQMMAoGCCsGAQUFBwMBMAoGCCqGSM49BAMCA0kAMEYCIQD5IsQYPiGsjB3ZQABbo/VY
                yZNKK2YkZerQRFHpTKEKgAIhAPhjwep5ycJOZq9LUkZ+t503w8p8lV8yD+bfRj2jzHph
                """,
            options: .ignoreUnknownCharacters
        ) ?? Data()
    )

    /// Returns the texts with CR LF as line ends.
    private static func lines(_ texts: [String]) -> [[UInt8]] {
        texts.map { text in text.utf8.flatMap { $0 == UInt8(ascii: "\n") ? [0x0D, 0x0A] : [$0] } }
    }
}
#endif
