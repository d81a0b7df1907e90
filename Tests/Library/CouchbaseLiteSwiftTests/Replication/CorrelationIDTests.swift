#if Replication
import Foundation
import SyncCore
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Correlation IDs", .ownThreads)
struct CorrelationIDTests {
    private func handshake(_ value: String, name: String = "X-Correlation-Id") -> ChannelHandshake {
        ChannelHandshake(responseHeaders: [("Server", "x"), (name, value)])
    }

    @Test("the correlation ID is that of the current or last connection until the next start")
    func life() throws {
        let driven = try DrivenReplicator(continuous: true)
        #expect(driven.replicator.correlationID == nil)
        driven.start()
        #expect(driven.replicator.correlationID == nil)
        try driven.open(handshake("c0ffee", name: "x-correlation-ID"))
        #expect(driven.replicator.correlationID == "c0ffee")
        try driven.end(SyncError(.webSocket, 503))
        driven.advance(by: 2000)
        #expect(driven.replicator.correlationID == "c0ffee")
        try driven.open(handshake("beef"))
        #expect(driven.replicator.correlationID == "beef")
        driven.stop()
        try driven.end(nil)
        #expect(driven.replicator.correlationID == "beef")
        driven.start()
        #expect(driven.replicator.correlationID == nil)
        try driven.open()
        #expect(driven.replicator.correlationID == nil)
    }

    @Test(
        "a correlation ID that is empty, long or no word of ASCII is ignored",
        arguments: ["", " ", "a b", "a\nb", "\u{1B}[31m", "é", String(repeating: "a", count: 129)]
    )
    func ignored(value: String) {
        #expect(handshake(value).correlationID == nil)
        #expect(handshake(String(repeating: "a", count: 128)).correlationID?.utf8.count == 128)
    }
}

extension LoggingTests {
    @Suite("Correlation IDs in the log", .ownThreads)
    struct CorrelationLog {
        let log = FreshLog()
        let sink = KeepingSink()

        @Test("the lines of a replicator contain the correlation ID of its connection")
        func lines() throws {
            LogSinks.custom = CustomLogSink(level: .info, logSink: sink)
            let name = "Replicator \(UUID().uuidString)"
            let driven = try DrivenReplicator(logName: name)
            driven.start()
            try driven.open(ChannelHandshake(responseHeaders: [("X-Correlation-Id", "c0ffee")]))
            driven.stop()
            try driven.end(nil)
            LogSinks.custom = nil
            #expect(
                sink.messages(with: name).map(\.text) == [
                    "\(name): connecting", "\(name) [c0ffee]: connected, without a subprotocol",
                    "\(name) [c0ffee]: closing the connection", "\(name) [c0ffee]: stopped",
                ]
            )
        }
    }
}
#endif
