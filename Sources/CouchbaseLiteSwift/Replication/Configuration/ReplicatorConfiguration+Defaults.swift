#if Replication
extension ReplicatorConfiguration {
    /// The default of ``replicatorType``: both directions.
    public static let defaultType = ReplicatorType.pushAndPull
    /// The default of ``continuous``: `false`, a replicator stops when both sides have everything.
    public static let defaultContinuous = false
    /// The default of ``allowReplicatingInBackground``: `false`.
    public static let defaultAllowReplicatingInBackground = false
    /// The default of ``heartbeat``: 300 seconds.
    public static let defaultHeartbeat: TimeInterval = 300
    /// The default of ``maxAttempts`` for a replicator that is not continuous: 10.
    public static let defaultMaxAttemptsSingleShot: UInt = 10
    /// The default of ``maxAttempts`` for a continuous replicator: no limit.
    public static let defaultMaxAttemptsContinuous = UInt.max
    /// The default of ``maxAttemptWaitTime``: 300 seconds. The same as ``defaultMaxAttemptWaitTime``.
    public static let defaultMaxAttemptsWaitTime: TimeInterval = 300
    /// The default of ``maxAttemptWaitTime``: 300 seconds.
    public static let defaultMaxAttemptWaitTime: TimeInterval = 300
    /// The default of ``enableAutoPurge``: `true`, documents are purged when the user loses access to them.
    public static let defaultEnableAutoPurge = true
    /// The default of ``acceptOnlySelfSignedServerCertificate``: `false`, certificates are accepted if the system trusts them.
    public static let defaultSelfSignedCertificateOnly = false
    /// The default of ``acceptParentDomainCookie``: `false`, a server may set cookies only for its own domain and subdomains of it.
    public static let defaultAcceptParentCookies = false
}
#endif
