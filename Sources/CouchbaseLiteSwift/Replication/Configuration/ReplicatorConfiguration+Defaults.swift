#if Replication
extension ReplicatorConfiguration {
    /// Both directions.
    public static let defaultType = ReplicatorType.pushAndPull
    /// False: a replicator stops when both sides have everything.
    public static let defaultContinuous = false
    /// False; see ``allowReplicatingInBackground``.
    public static let defaultAllowReplicatingInBackground = false
    /// 300 seconds.
    public static let defaultHeartbeat: TimeInterval = 300
    /// 10 attempts when the replicator is not continuous.
    public static let defaultMaxAttemptsSingleShot: UInt = 10
    /// As many attempts as it takes when it is.
    public static let defaultMaxAttemptsContinuous = UInt.max
    /// 300 seconds.
    public static let defaultMaxAttemptsWaitTime: TimeInterval = 300
    /// 300 seconds.
    public static let defaultMaxAttemptWaitTime: TimeInterval = 300
    /// True: documents go when access to them does.
    public static let defaultEnableAutoPurge = true
    /// False: certificates are accepted as the system trusts them.
    public static let defaultSelfSignedCertificateOnly = false
    /// False: a server sets cookies for itself and what is inside its domain.
    public static let defaultAcceptParentCookies = false
}
#endif
