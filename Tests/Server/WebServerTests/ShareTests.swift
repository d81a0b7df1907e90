#if Replication
import NIOCore
import NIOEmbedded
import TestTraits
import Testing
import Transport

@testable import WebServer

@Suite("Shares of clients of a web server", .ownThreads)
struct ShareTests {
    private let host = "Host: localhost\n"

    private func owner(_ address: String, _ user: String? = nil) throws -> RequestOwner {
        let owner = RequestOwner(ClientAddress(try SocketAddress(ipAddress: address, port: 1)))
        owner.identify(user)
        return owner
    }

    @Test("an address and a user get a part of the memory only, and return it with the reservation")
    func memory() throws {
        let budget = BodyBudget(MemoryLimits(all: 100, ofAddress: 60, ofUser: 30))
        let anna = try owner("10.0.0.1", "anna")
        func reserves(_ count: Int, _ owner: RequestOwner) -> Bool { budget.reserve(count, for: owner) != nil }
        do {
            var first = budget.reservation(for: anna)
            let grown = [20, 10, 1].map { first.grow(by: $0) }
            #expect(grown == [true, true, false])
            // From another address, too.
            #expect(try !reserves(1, owner("10.0.0.2", "anna")))
            let second = try budget.reserve(30, for: owner("10.0.0.1", "ben"))
            #expect(budget.used == 60 && budget.holderCount == 3)
            // The share of the address is used up, and another one has its own.
            #expect(try !reserves(1, owner("10.0.0.1", "carl")))
            let third = try budget.reserve(40, for: owner("10.0.0.2"))
            #expect(budget.used == 100)
            #expect(try !reserves(1, owner("10.0.0.3")))
            withExtendedLifetime(first) {}
            withExtendedLifetime(second) {}
            withExtendedLifetime(third) {}
        }
        #expect(budget.used == 0 && budget.holderCount == 0)
        // One thing may be larger than a share.
        #expect(reserves(80, anna))
        #expect(!reserves(101, anna))
        #expect(budget.used == 0 && budget.holderCount == 0)
    }

    @Test("an address whose connections are all busy gives places to others until both have the same share")
    func connections() throws {
        var options = WebServerOptions()
        options.maximumConnections = 4
        options.maximumUnusedConnections = 4
        let table = ConnectionTable(options)
        func connect(_ address: String, _ activity: ConnectionTable.Activity) throws -> EmbeddedChannel? {
            let channel = EmbeddedChannel()
            channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
            try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
            guard table.add(channel) else { return nil }
            table.set(activity, of: channel)
            return channel
        }
        let busy = try (0..<4).compactMap { try connect("10.0.0.1", $0 < 2 ? .busy : .webSocket) }
        #expect(busy.count == 4)
        #expect(try connect("10.0.0.1", .busy) == nil)
        let first = try #require(try connect("10.0.0.2", .busy))
        let second = try #require(try connect("10.0.0.2", .busy))
        #expect(try connect("10.0.0.2", .busy) == nil)
        #expect(busy.map(\.isActive) == [false, false, true, true])
        #expect(table.count == 4)
        for channel in busy + [first, second] where channel.isActive { _ = try? channel.finish() }
        #expect(table.count == 0)
    }

    @Test("little of a body is received before the handler reads it, and what it has read is counted until the request ends")
    func unread() async throws {
        try await withServer { port, log, server in
            let client = try await RawClient.connect(port: port)
            client.send(lines: "PUT /held HTTP/1.1\n\(host)Connection: close\nContent-Length: 500000\n\n")
            client.send([UInt8](repeating: 0x61, count: 500_000))
            for await _ in log.started.stream { break }
            #expect(server.usedMemory == (0, 0))
            log.released.continuation.finish()
            #expect(await client.readAll().hasSuffix("500000 bytes"))
            await server.stop()
            #expect(server.usedMemory == (0, 0))
        }
    }

    @Test("unfinished bodies of a user take the user's share only, and small bodies are always possible")
    func unfinished() async throws {
        let budget = BodyBudget(MemoryLimits(all: 100_000, ofAddress: 60_000, ofUser: 30_000))
        func body(_ address: String, _ user: String, _ count: Int) throws -> WebBody {
            let body = WebBody(maximumBytes: 1 << 20, budget: budget, owner: try owner(address, user))
            _ = body.append([UInt8](repeating: 0x61, count: count))
            body.finish()
            return body
        }
        let first = try body("10.0.0.1", "anna", 30_000 + WebBody.uncountedSize)
        #expect(try await first.collect().count == 30_000 + WebBody.uncountedSize)
        let more = try body("10.0.0.2", "anna", WebBody.uncountedSize + 1)
        await #expect(throws: WebError.self) { try await more.collect() }
        #expect(try await body("10.0.0.2", "anna", WebBody.uncountedSize).collect().count == WebBody.uncountedSize)
        #expect(try await body("10.0.0.1", "ben", 20_000).collect().count == 20_000)
        #expect(budget.used == 30_000)
        withExtendedLifetime(first) {}
    }
}
#endif
