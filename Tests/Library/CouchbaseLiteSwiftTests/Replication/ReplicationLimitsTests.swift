#if Replication
import Testing

@testable import CouchbaseLiteSwift

@Suite("Limits of replication")
struct ReplicationLimitsTests {
    @Test("the memory limit of all replications has a default of 256 MiB")
    func memory() {
        #expect(ReplicationLimits.memory == ReplicationLimits.defaultMemory)
        #expect(ReplicationLimits.defaultMemory == 256 << 20)
    }
}
#endif
