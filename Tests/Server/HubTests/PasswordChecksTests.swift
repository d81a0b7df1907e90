#if Replication
import Dispatch
import Synchronization
import TestSupport
import TestTraits
import Testing
import WebServer

@testable import Hub
@testable import Transport

@Suite("Checks of passwords", .ownThreads)
struct PasswordChecksTests {
    /// A clock that a test advances, in milliseconds, and the passwords that were checked.
    private final class Fixture: Sendable {
        let checks: PasswordChecks
        let checked = Recorder<String>()
        private let time: Time
        private let running = Atomic(0)
        let mostRunning = Atomic(0)

        private final class Time: Sendable {
            let value = Mutex<Int64>(0)
        }

        init(_ prepare: (inout PasswordLimits) -> Void = { _ in }) {
            var limits = PasswordLimits()
            prepare(&limits)
            let time = Time()
            self.time = time
            checks = PasswordChecks(limits, now: { time.value.withLock { $0 } })
        }

        func advance(by milliseconds: Int64) { time.value.withLock { $0 += milliseconds } }

        /// Checks a password, which is correct if it is `right`. Returns the status of the response.
        func status(_ name: String, _ password: String, from address: UInt8 = 1, remembers: Bool = false) async throws -> Int {
            do {
                let isCorrect = try await checks.check(name, from: ClientAddress(bytes: [address])) {
                    remembers
                } isCorrect: { [self] in
                    mostRunning.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                    defer { running.subtract(1, ordering: .relaxed) }
                    checked.append(name)
                    return password == "right"
                }
                return isCorrect ? 200 : 401
            } catch let error as WebError {
                return error.status
            }
        }
    }

    @Test("of 10,000 wrong passwords from one address only few are checked, while other users and other addresses are served")
    func guessing() async throws {
        let fixture = Fixture()
        var counts: [Int: Int] = [:]
        for number in 1...10_000 {
            counts[try await fixture.status("anna", "wrong"), default: 0] += 1
            // A password every 10 ms.
            fixture.advance(by: 10)
            guard number % 1000 == 0 else { continue }
            #expect(try await fixture.status("bert", "right") == 200)
            #expect(try await fixture.status("anna", "right", from: 2) == 200)
        }
        // Ten at once, and one every six seconds.
        #expect(counts == [401: 26, 429: 9974])
        #expect(fixture.checked.all.count { $0 == "anna" } == 26 + 10)
        #expect(try await fixture.status("anna", "right", remembers: true) == 429)
        fixture.advance(by: 6000)
        #expect(try await fixture.status("anna", "right") == 200)
    }

    @Test("wrong passwords for many names from one address are limited together")
    func names() async throws {
        let fixture = Fixture()
        var counts: [Int: Int] = [:]
        for number in 1...200 { counts[try await fixture.status("user\(number)", "wrong"), default: 0] += 1 }
        #expect(counts == [401: 50, 429: 150])
        #expect(try await fixture.status("anna", "right", from: 2) == 200)
        fixture.advance(by: 1200)
        #expect(try await fixture.status("anna", "right") == 200)
    }

    @Test("passwords that are sent at the same time are checked one after the other, and limited in the same way")
    func parallel() async throws {
        let fixture = Fixture()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...200 { group.addTask { try await fixture.status("anna", "wrong") } }
            for _ in 1...20 { group.addTask { try await fixture.status("bert", "right") } }
            return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(counts == [200: 20, 401: 10, 429: 190])
        #expect(fixture.mostRunning.load(ordering: .relaxed) == 1)
        #expect(fixture.checks.waitingCount == 0)
    }

    @Test("a password does not wait for all of those for another name, remembered ones do not wait, and the number that waits is limited")
    func turns() async throws {
        let fixture = Fixture { $0.waiting = 9 }
        let gate = DispatchSemaphore(value: 0)
        let started = Recorder<Void>()
        let address = ClientAddress(bytes: [1])
        async let first = fixture.checks.check("first", from: address, isRemembered: { false }) {
            started.append(())
            gate.wait()
            return true
        }
        _ = await started.reaches { !$0.isEmpty }
        let results = Recorder<Int>()
        func send(_ name: String, until count: Int) async {
            Task { results.append(try await fixture.status(name, "right")) }
            while fixture.checks.waitingCount < count { await Task.yield() }
        }
        for count in 1...8 { await send("anna", until: count) }
        await send("bert", until: 9)
        #expect(try await fixture.status("carl", "right") == 503)
        #expect(try await fixture.status("anna", "right", remembers: true) == 200)
        gate.signal()
        #expect(try await first)
        _ = await results.reaches { $0.count == 9 }
        #expect(results.all.count == 9 && results.all.allSatisfy { $0 == 200 })
        #expect(fixture.checked.all.prefix(2) == ["anna", "bert"])
    }

    @Test("the number of remembered failures is limited")
    func memory() async throws {
        var limits = PasswordThrottle.Limits()
        limits.addresses = 100
        var table = FailureTable<Int>(limits)
        for number in 1...1000 { table.add(number, at: 0) }
        #expect(table.count == 100)
        table.add(0, at: limits.interval)
        #expect(table.count == 1)
    }

    @Test("an error of a check is reported and does not count as a wrong password")
    func errors() async throws {
        struct Broken: Error {}
        let fixture = Fixture()
        for _ in 1...20 {
            await #expect(throws: Broken.self) {
                try await fixture.checks.check("anna", from: ClientAddress(bytes: [1]), isRemembered: { false }) { throw Broken() }
            }
            await #expect(throws: Broken.self) {
                try await fixture.checks.check("anna", from: ClientAddress(bytes: [1]), isRemembered: { throw Broken() }) { true }
            }
        }
        #expect(try await fixture.status("anna", "right") == 200)
    }
}
#endif
