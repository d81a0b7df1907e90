/// The clock that gives new versions their times (Version vectors 2.3). A time is never repeated, and is later than all times that were seen,
/// even if the clock of the device is behind that of another device or is set back.
package struct HybridClock: Sendable {
    /// The last time that was given or seen; 0 if there was none.
    private(set) var last: UInt64 = 0

    /// How far a seen time may be ahead of the clock of the device, in nanoseconds.
    package static let tolerance: UInt64 = 120_000_000_000

    /// Creates a clock that has seen nothing.
    package init() {}

    /// Returns the next time.
    ///
    /// - Parameter wall: The clock of the device, in nanoseconds since 1970.
    package mutating func now(_ wall: UInt64) -> UInt64 {
        // A device whose clock begins at 1970 must make times too that others accept.
        let tick = max(wall, LogicalTime.minimum) & ~LogicalTime.counterMask
        // The counter carries into the time when all its values have been used.
        last = tick > last & ~LogicalTime.counterMask ? tick : last &+ 1
        return last
    }

    /// Notes a time of another database, so that later times of this clock are later than it.
    ///
    /// - Parameter wall: The clock of the device, in nanoseconds since 1970.
    /// - Returns: Whether the time is valid: `false` if it is too early, or too far ahead of the clock of the device. The clock is unchanged
    ///   then.
    package mutating func see(_ time: UInt64, _ wall: UInt64) -> Bool {
        guard time >= LogicalTime.minimum, LogicalTime.isStorable(time) else { return false }
        if time <= last { return true }
        guard Self.isAcceptable(time, wall) else { return false }
        last = max(last, time, wall & ~LogicalTime.counterMask)
        return true
    }

    /// Returns whether a time is not too far ahead of the clock of the device.
    static func isAcceptable(_ time: UInt64, _ wall: UInt64) -> Bool {
        let tick = time & ~LogicalTime.counterMask
        return tick <= wall || tick - wall <= tolerance
    }

    /// Notes the times of all versions of a vector that is about to be superseded by a revision of this database, so that the next time is later
    /// than all of them. Times of other databases that are too far ahead of the clock of the device are skipped; those of this database are not,
    /// because the vector must grow (Version vectors 2.3).
    ///
    /// - Parameter wall: The clock of the device, in nanoseconds since 1970.
    mutating func supersede(_ vector: VersionVector, _ wall: UInt64) {
        for version in vector.versions {
            if version.source.isMe {
                last = max(last, version.time)
            } else {
                _ = see(version.time, wall)
            }
        }
    }

    /// Notes the times of all versions of a vector that other databases have made, before it is stored.
    ///
    /// - Throws: `invalidTime` for a time that is not valid.
    package mutating func see(_ vector: VersionVector, _ wall: UInt64) throws(VersionError) {
        for version in vector.versions where !version.source.isMe {
            guard see(version.time, wall) else { throw .invalidTime(version) }
        }
    }
}
