#if Replication
import SyncCore
import Foundation
import Testing

@testable import CouchbaseLiteSwift

@Suite("Public errors of replication")
struct SyncErrorPublicTests {
    @Test(
        "errors of replication have the domains and codes of the public API",
        arguments: [
            (SyncError(.liteCore, 8), ErrorCode.couchbaseLite(CBLError.conflict)),
            (SyncError(.liteCore, 26), .couchbaseLite(CBLError.remoteError)),
            (SyncError(.blip, 404), .couchbaseLite(CBLError.remoteError)),
            (SyncError(.http, 403), .couchbaseLite(CBLError.httpForbidden)),
            (SyncError(.webSocket, 401), .couchbaseLite(CBLError.httpAuthRequired)),
            (SyncError(.webSocket, 1001), .couchbaseLite(CBLError.webSocketGoingAway)),
            (SyncError(.webSocket, 1006), .couchbaseLite(CBLError.webSocketAbnormalClose)),
            (SyncError(.webSocket, 4001), .couchbaseLite(CBLError.webSocketCloseUserTransient)),
            (SyncError(.webSocket, 4002), .couchbaseLite(CBLError.webSocketCloseUserPermanent)),
            (SyncError(.network, 1), .couchbaseLite(CBLError.dnsFailure)),
            (SyncError(.network, 2), .couchbaseLite(CBLError.unknownHost)),
            (SyncError(.network, 8), .couchbaseLite(CBLError.tlsCertUntrusted)),
            (SyncError(.network, 27), .couchbaseLite(CBLError.unknownInterface)),
            (SyncError(.tls, -9984), .couchbaseLite(CBLError.tlsHandshakeFailed)),
            (SyncError(.posix, Int(ECONNREFUSED)), .posix(ECONNREFUSED)),
            (SyncError(.sqlite, 13), ErrorCode(domain: "CouchbaseLite.SQLite", code: 13)),
            (SyncError(.fleece, 4), ErrorCode(domain: "CouchbaseLite.Fleece", code: 4)),
        ]
    )
    func codes(_ error: SyncError, _ expected: ErrorCode) {
        #expect(thrown { throw error.publicError } == expected)
        #expect(!error.publicError.localizedDescription.isEmpty)
    }

    @Test(
        "an unknown code from a peer becomes a public error and does not end the process",
        arguments: [SyncError.Domain.http, .webSocket, .network, .blip, .liteCore, .posix, .sqlite, .fleece, .tls],
        [Int.max, Int.min, -1, 0, 5000]
    )
    func hostileCodes(_ domain: SyncError.Domain, _ code: Int) {
        let error = SyncError(domain, code).publicError
        if [.http, .webSocket, .network].contains(domain) { #expect(error.code == CBLError.remoteError) }
        #expect(!error.localizedDescription.isEmpty)
    }

    @Test("a public error has the message of the peer or of the system")
    func message() {
        #expect(SyncError(.http, 403, "you may not").publicError.localizedDescription == "you may not")
        #expect(SyncError(.posix, Int(ECONNREFUSED)).publicError.localizedDescription.lowercased().contains("refused"))
    }
}
#endif
