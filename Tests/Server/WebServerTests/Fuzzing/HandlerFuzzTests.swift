#if Replication
import HandlerFuzzing
import NIOCore
import NIOEmbedded
import TestSupport
import Testing
import TransportFuzzing
import WebServer

@Suite("Handlers of connections on hostile sockets")
struct HandlerFuzzTests {
    @Test(
        "a handler keeps its order and releases everything when the socket delivers, fails, closes or becomes unwritable at any call",
        arguments: HandlerFuzzing.Kind.allCases
    )
    func handlers(kind: HandlerFuzzing.Kind) {
        var seeds = SeededGenerator(seed: TestSeed.forThisTest())
        var accepted = 0
        // `script/fuzz` runs many more.
        let count = kind.isSecure ? 60 : 120
        var runs = 0
        // Few inputs are accepted by some handlers. If there were none among many, most would be too bad for the handlers.
        while runs < count || accepted <= count / 20 && runs < 10 * count {
            runs += 1
            let seed = seeds.next()
            let outcome = HandlerFuzzing.run(kind, seed: seed)
            #expect(outcome.failures == [], "seed \(seed)")
            accepted += outcome.accepted
            if !outcome.failures.isEmpty { break }
        }
        #expect(accepted > count / 20)
    }

    @Test(
        "an encrypted connection may break off at every call of its handlers, while the client sends what is no request",
        arguments: ["GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n"]
    )
    func encryptedEnd(request: String) throws {
        struct Missing: WebHandler {
            func respond(to request: WebRequest) async throws -> WebResponse { throw WebError(404, "missing") }
        }
        let tasks = WaitingTasks()
        var options = WebServerOptions()
        options.identity = try SecurePeer.serverIdentity()
        let server = WebServer(options, handler: Missing(), threads: tasks)
        var seeds = SeededGenerator(seed: TestSeed.forThisTest())
        for _ in 0..<12 {
            let input = RandomInput(generator: SeededGenerator(seed: seeds.next()))
            var (call, isBroken) = (0, true)
            // Until the conversation has fewer calls.
            while isBroken {
                call += 1
                let client = try SecurePeer(Array(request.utf8), isClient: true, nil)
                client.say(Array("no request\r\n\r\n".utf8))
                let socket = try HostileSocket(client.take([]), input, lastCall: call) { client.take($0) }
                try server.serve(socket.channel)
                repeat { socket.loop.run() } while tasks.runNext() || !socket.hasBrokenOff && socket.deliver()
                isBroken = socket.hasBrokenOff
                // The timers of the end come before the test closes the connection.
                socket.loop.advanceTime(by: .seconds(2))
                socket.end()
                #expect(server.connectionCount == 0)
                #expect(server.usedMemory == (0, 0))
            }
            #expect(call > 5)
        }
    }
}
#endif
