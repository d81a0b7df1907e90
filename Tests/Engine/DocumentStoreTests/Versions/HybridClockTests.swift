import Testing

@testable import DocumentStore

@Suite("The clock of versions")
struct HybridClockTests {
    /// A clock whose changes can be part of an expectation.
    private final class Clock {
        private(set) var clock = HybridClock()

        var last: UInt64 { clock.last }

        func now(_ wall: UInt64) -> UInt64 { clock.now(wall) }

        func see(_ time: UInt64, _ wall: UInt64) -> Bool { clock.see(time, wall) }

        func see(_ vector: VersionVector, _ wall: UInt64) throws { try clock.see(vector, wall) }
    }

    private let wall: UInt64 = 0x18EA_58B6_1234_5678
    private let tick: UInt64 = 0x18EA_58B6_1234_0000

    @Test("a time is that of the device without its low bits, in which times of the same tick are counted")
    func now() {
        let clock = Clock()
        #expect(clock.now(wall) == tick)
        #expect(clock.now(wall + 1) == tick + 1)
        #expect(clock.now(wall) == tick + 2)
        #expect(clock.now(wall + 0x10000) == tick + 0x10000)
    }

    @Test("times increase although the clock of the device is set back, and a full counter carries")
    func monotonic() {
        let clock = Clock()
        _ = clock.now(wall)
        #expect(clock.now(1) == tick + 1)
        var last: UInt64 = 0
        for _ in 0..<0xFFFF { last = clock.now(wall) }
        #expect(last == tick + 0x10000)
    }

    @Test("a device without a time of day makes times that others accept")
    func wrongClock() {
        let (clock, other) = (Clock(), Clock())
        #expect(clock.now(0) == 1 << 40)
        #expect(other.see(clock.now(0), wall))
    }

    @Test("the next time is later than one that was seen")
    func see() {
        let clock = Clock()
        #expect(clock.see(tick + 60_000_000_000 & ~0xFFFF, wall))
        #expect(clock.now(wall) == tick + 60_000_000_000 & ~0xFFFF + 1)
        #expect(clock.see(tick + 0x10_0000_00FF, wall))
        #expect(clock.see(5 << 40, wall))
        let another = Clock()
        #expect(another.see(tick + 0x10_0000_00FF, wall))
        #expect(another.now(wall) == tick + 0x10_0000_0100)
        #expect(another.see(1 << 40, wall))
        #expect(another.last == tick + 0x10_0000_0100)
    }

    @Test("a time too early, or more than two minutes ahead, is refused and changes nothing")
    func refused() {
        let clock = Clock()
        let times: [UInt64] = [
            0, 1, 1 << 40 - 1, (wall + 120_000_010_000 + 0x10000) & ~0xFFFF, 1 << 62 | 1, UInt64(Int64.max), 1 << 63, .max,
        ]
        for time in times { #expect(!clock.see(time, wall)) }
        #expect(clock.last == 0)
        #expect(clock.see((wall + 120_000_000_000) & ~0xFFFF, wall))
        // Without the tolerance, the sum of clock and tolerance would overflow here.
        let late = Clock()
        #expect(late.see(1 << 62, .max))
    }

    @Test("all versions of a vector are seen, except those of the database itself")
    func vectors() throws {
        let clock = Clock()
        let late = Version(existing: tick + 1 << 40, exampleSources["E"]!)
        try clock.see(
            VersionVector(existing: [Version(existing: tick + 0x20000, exampleSources["I"]!), Version(existing: 7, .me)], currentCount: 1),
            wall
        )
        #expect(clock.last == tick + 0x20000)
        let error = #expect(throws: VersionError.self) {
            try clock.see(VersionVector(existing: [Version(existing: 7, .me), late], currentCount: 1), wall)
        }
        #expect(error == .invalidTime(late))
        #expect(error?.description == "Invalid timestamp in version vector \(late)")
    }
}
