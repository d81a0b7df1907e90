import SyncCore
import Synchronization
import Testing

@testable import BLIP

@Suite("Shared memory budget")
struct MemoryBudgetTests {
    private static let step = 64 << 10

    /// Records which accounts were revoked.
    private final class Revocations: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }

        func watch(_ account: MemoryAccount, _ name: String) {
            account.whenRevoked { self.names.withLock { $0.append(name) } }
        }
    }

    @Test("a connection has its own memory limit, and can reuse released memory")
    func ownLimit() throws {
        let budget = MemoryBudget(limit: 100 * Self.step)
        let account = MemoryAccount(budget, limit: 10 * Self.step)
        try account.reserve(10 * Self.step)
        #expect(throws: BLIPError.tooMuchMemory(limit: 10 * Self.step)) { try account.reserve(1) }
        account.release(9 * Self.step)
        #expect(account.used == Self.step && budget.used <= 2 * Self.step)
        try account.reserve(9 * Self.step)
    }

    @Test("a connection's memory is released when it is deallocated")
    func goes() throws {
        let budget = MemoryBudget(limit: 10 * Self.step)
        for _ in 0..<100 {
            let account = MemoryAccount(budget, limit: .max)
            try account.reserve(9 * Self.step)
        }
        #expect(budget.used == 0)
    }

    @Test("when memory runs out, the largest connection is revoked and others can continue")
    func largestGivesWay() throws {
        let budget = MemoryBudget(limit: 100 * Self.step)
        let revocations = Revocations()
        let greedy = MemoryAccount(budget, limit: .max)
        let modest = MemoryAccount(budget, limit: .max)
        revocations.watch(greedy, "greedy")
        revocations.watch(modest, "modest")
        try greedy.reserve(99 * Self.step)
        try modest.reserve(3 * Self.step)
        #expect(revocations.all == ["greedy"])
        // The memory of the revoked account is not released yet, and the account gets no more.
        #expect(throws: BLIPError.memoryIsShort) { try greedy.reserve(Self.step) }
        #expect(budget.used == 102 * Self.step)
        try modest.reserve(10 * Self.step)
        greedy.release(99 * Self.step)
        #expect(budget.used <= 14 * Self.step)
    }

    /// Ten accounts that share a budget of 100 steps.
    private func fill(_ budget: MemoryBudget, _ revocations: Revocations) throws -> [MemoryAccount] {
        try (0..<10).map { number in
            let account = MemoryAccount(budget, limit: .max)
            revocations.watch(account, "\(number)")
            try account.reserve(10 * Self.step)
            return account
        }
    }

    @Test("a connection that would itself be the largest is refused memory")
    func refused() throws {
        let budget = MemoryBudget(limit: 100 * Self.step)
        let revocations = Revocations()
        let accounts = try fill(budget, revocations)
        #expect(throws: BLIPError.memoryIsShort) { try accounts[3].reserve(Self.step) }
        #expect(revocations.all == [])
    }

    @Test("an optional reservation is refused instead of closing the largest connection")
    func optionalReservation() throws {
        let budget = MemoryBudget(limit: 100 * Self.step)
        let revocations = Revocations()
        let greedy = MemoryAccount(budget, limit: .max)
        let modest = MemoryAccount(budget, limit: .max)
        revocations.watch(greedy, "greedy")
        try greedy.reserve(98 * Self.step)
        try modest.reserve(Self.step, isOptional: true)
        #expect(throws: BLIPError.memoryIsShort) { try modest.reserve(2 * Self.step, isOptional: true) }
        #expect(revocations.all == [] && modest.used == Self.step)
        try modest.reserve(2 * Self.step)
        #expect(revocations.all == ["greedy"])
        withExtendedLifetime(greedy) {}
    }

    @Test("a connection does not close others to get memory for its compressor")
    func compressorIsOptional() throws {
        var options = BLIPOptions()
        options.memoryBudget = MemoryBudget(limit: 100 * Self.step)
        let revocations = Revocations()
        let greedy = MemoryAccount(options.memoryBudget, limit: .max)
        revocations.watch(greedy, "greedy")
        try greedy.reserve(98 * Self.step)
        var connection = BLIPConnection(options: options)
        connection.send(OutgoingMessage(body: prose(5000), isCompressed: true))
        let next = connection.nextFrame()
        let frame = try #require(next)
        #expect(header(of: frame).flags & 0x08 == 0 && revocations.all == [])
        withExtendedLifetime(greedy) {}
    }

    @Test("other connections can use the memory of revoked connections only up to a limit")
    func leaving() throws {
        let budget = MemoryBudget(limit: 100 * Self.step)
        let revocations = Revocations()
        let accounts = try fill(budget, revocations)
        let others = (0..<30).map { _ in MemoryAccount(budget, limit: .max) }
        let granted = others.count { (try? $0.reserve(Self.step)) != nil }
        #expect(granted == 20 && revocations.all.count == 2)
        #expect(budget.used <= 125 * Self.step)
        withExtendedLifetime(accounts) {}
    }

    @Test("unconditionally added memory can cause the connection itself to be revoked")
    func added() {
        let budget = MemoryBudget(limit: 10 * Self.step)
        let revocations = Revocations()
        let account = MemoryAccount(budget, limit: .max)
        account.add(11 * Self.step)
        revocations.watch(account, "itself")
        #expect(revocations.all == ["itself"])
    }

    @Test("a message is counted as long as it is in use, its body twice")
    func holds() throws {
        var options = BLIPOptions()
        options.memoryBudget = MemoryBudget()
        var connection = BLIPConnection(options: options)
        var raw = RawFrames()
        var requests: [IncomingRequest] = []
        for event in try connection.receive(raw.request(1, "Profile", "rev", body: noise(10_000))) {
            if case .request(let request) = event { requests.append(request) }
        }
        #expect(requests.first?.body.count == 10_000)
        #expect((20_000...22_000).contains(connection.memory.used))
        connection.respond(to: requests[0], with: OutgoingMessage())
        #expect(connection.memory.used > 20_000)
        requests = []
        #expect((1...1000).contains(connection.memory.used))
        _ = connection.nextFrame()
        #expect(connection.memory.used == 0)
    }

    @Test("the connection fails before decompressed data exceeds its memory limit")
    func bombs() throws {
        var options = BLIPOptions()
        options.memoryBudget = MemoryBudget()
        options.maximumBodySize = 20 << 20
        options.maximumMemory = 8 << 20
        var connection = BLIPConnection(options: options)
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        var encoder = FrameEncoder(compression: CompressionPolicy(highestLevel: 9))
        var failure: BLIPError?
        for number in 1...20 as ClosedRange<UInt64> {
            let flags = FrameFlags(rawValue: 0x48)
            let frame = encoder.frame(number: number, flags: flags, head: [0], body: zeros[...])
            #expect(frame.count < 5000)
            do throws(BLIPError) {
                _ = try connection.receive(frame)
            } catch {
                failure = error
                break
            }
            #expect(connection.memory.used <= options.maximumMemory)
        }
        #expect(failure == .tooMuchMemory(limit: 8 << 20))
        #expect(failure?.closeCode.rawValue == 1009)
        _ = connection.disconnect()
        #expect(connection.memory.used < 1 << 20)
    }

    @Test("the compressor counts in the memory limit, and messages are sent uncompressed if there is no memory for it")
    func compressor() throws {
        for (limit, isCompressed) in [(300_000, false), (1_000_000, true)] {
            var options = BLIPOptions()
            options.memoryBudget = MemoryBudget()
            options.maximumMemory = limit
            var connection = BLIPConnection(options: options)
            let body = prose(5000)
            for _ in 0..<2 {
                connection.send(OutgoingMessage(body: body, isCompressed: true))
                let next = connection.nextFrame()
                let frame = try #require(next)
                #expect((header(of: frame).flags & 0x08 != 0) == isCompressed)
                #expect((frame.count < body.count) == isCompressed)
            }
            #expect(connection.memory.used == (isCompressed ? Deflater.memorySize : 0))
        }
    }

    @Test("no memory is reserved for the compressor before a message is compressed")
    func unusedCompressor() throws {
        var options = BLIPOptions()
        options.memoryBudget = MemoryBudget()
        var connection = BLIPConnection(options: options)
        for (body, isCompressed) in [(noise(5000), false), (prose(5000), true)] {
            connection.send(OutgoingMessage(body: body, isCompressed: true))
            let next = connection.nextFrame()
            let frame = try #require(next)
            #expect((header(of: frame).flags & 0x08 != 0) == isCompressed)
            #expect(connection.memory.used == (isCompressed ? Deflater.memorySize : 0))
        }
    }

    @Test("when memory is short, only the oldest unfinished request is acknowledged")
    func pacing() throws {
        var options = BLIPOptions()
        options.memoryBudget = MemoryBudget()
        options.maximumBodySize = 1 << 20
        options.bodyCost = 1
        options.maximumMemory = 800_000
        let peer = Peer(options)
        var raw = RawFrames()
        /// Sends 60 kB of a message, and returns the messages for which acknowledgements were received.
        func send(_ number: UInt64, isLast: Bool = false) throws -> [UInt64] {
            for part in 0..<4 {
                let flags: UInt8 = isLast && part == 3 ? 0x20 : 0x60
                try peer.receive(raw.frame(number, flags, [0] + noise(15_000)))
            }
            return peer.frames().map { UInt64($0[0]) }
        }
        for number in 1...3 as ClosedRange<UInt64> { #expect(try send(number) == [number]) }
        for _ in 0..<4 { #expect(try send(1) == [1]) }
        // Now more than half of the memory is in use.
        #expect(try send(2) == [])
        #expect(try send(3) == [])
        // The first is complete, and the next one is the oldest.
        #expect(try send(1, isLast: true) == [2])
        #expect(peer.frames().isEmpty)
        // The message was handled, so memory is available again.
        peer.forgetRequests()
        #expect(peer.frames().map { UInt64($0[0]) } == [3])
    }

    @Test("a connection is congested while too many answers are unsent")
    func congestion() throws {
        var options = BLIPOptions()
        options.maximumQueuedAnswerSize = 10_000
        var connection = BLIPConnection(options: options)
        var raw = RawFrames()
        var isCongested: [Bool] = []
        for number in 1...4 as ClosedRange<UInt64> {
            for case .request(let request) in try connection.receive(raw.request(number, "a", "b")) {
                connection.respond(to: request, with: OutgoingMessage(body: noise(3000)))
            }
            isCongested.append(connection.isCongested)
        }
        #expect(isCongested == [false, false, false, true])
        var afterwards: [Bool] = []
        while connection.nextFrame() != nil { afterwards.append(connection.isCongested) }
        #expect(afterwards == [true, true, false, false])
    }
}
