#if Replication
package import Transport

/// The limits on passwords that clients of a hub send.
package struct PasswordLimits: Sendable {
    /// The limit on wrong passwords for a name from an address. Default: 10 at once, then one every 6 seconds.
    package var ofName = PasswordThrottle.Limits()
    /// The limit on wrong passwords for any names from an address. Default: 50 at once, then one every 1.2 seconds.
    package var ofAddress = {
        var limits = PasswordThrottle.Limits()
        limits.burst = 50
        limits.interval = 1200
        return limits
    }()
    /// The maximum number of passwords that wait to be checked, one after the other. Default: 256.
    package var waiting = 256

    package init() {}
}
#endif
