import CouchbaseLiteSwift
import Testing

extension LoggingTests {
    @Suite("Levels of the console by domain")
    struct SampleS21 {
        let log = FreshLog()

        @Test("setLogLevel accepts single domains and all domains")
        func levels() {
            Database.setLogLevel(.error, domain: .replicator)
            Database.setLogLevel(.error, domain: .query)
            Database.setLogLevel(.error, domain: .network)
            Database.setLogLevel(.warning, domain: .all)
            Database.setLogLevel(.warning, domain: LogDomain.all)
            #expect(LogDomain.all == LogDomains.all)
        }
    }
}
