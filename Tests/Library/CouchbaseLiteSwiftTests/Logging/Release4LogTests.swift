import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

extension LoggingTests {
    @Suite("Logging with the spelling of 4.x")
    struct Release4Log {
        let log = FreshLog()

        @Test("the domains of 4.x have their raw values, and are among all domains")
        func domains() {
            let domains: [(LogDomain, UInt, LogDomains)] = [
                (.database, 1, .database), (.query, 2, .query), (.replicator, 4, .replicator), (.network, 8, .network),
                (.listener, 16, .listener), (.peerDiscovery, 32, .peerDiscovery), (.mdns, 64, .mdns), (.multipeer, 512, .multipeer),
            ]
            for (domain, value, set) in domains {
                #expect(domain.rawValue == value && LogDomain(rawValue: value) == domain)
                #expect(set.rawValue == Int(value) && LogDomains.all.contains(set))
            }
            #expect(LogDomains.all.rawValue == 639)
            #expect(LogDomain(rawValue: 128) == nil)
        }

        @Test("a sink for the domains of 4.x gets no messages, and all domains are the default")
        func sinks() {
            let (sink, marker) = (KeepingSink(), UUID().uuidString)
            LogSinks.custom = CustomLogSink(level: .debug, domains: [.peerDiscovery, .mdns, .multipeer], logSink: sink)
            logEverything(marker)
            Log.log(domain: .multipeer, level: .error, message: marker)
            #expect(sink.messages(with: marker).isEmpty)
            LogSinks.console = ConsoleLogSink(level: .none)
            #expect(LogSinks.console?.domains == .all)
            log.reset()
            #expect(LogSinks.console?.domains == .all)
        }

        @Test("a file sink takes its limits in the types of 4.x and of 3.2, which are clamped")
        func files() {
            let (kept, size): (Int, UInt64) = (12, 1_048_576)
            let new = FileLogSink(level: .info, directory: "x", usePlainText: true, maxKeptFiles: kept, maxFileSize: size)
            #expect(new.maxKeptFiles == 12 && new.maxFileSize == 1_048_576 && new.usePlaintext)
            let (oldKept, oldSize): (Int32, Int64) = (3, 4)
            let old = FileLogSink(level: .info, directory: "x", maxKeptFiles: oldKept, maxFileSize: oldSize)
            #expect(old.maxKeptFiles == 3 && old.maxFileSize == 4 && !old.usePlaintext)
            for sink in [FileLogSink(level: .info, directory: "x"), FileLogSink(level: .info, directory: "x", maxFileSize: 524_288)] {
                #expect(sink.maxKeptFiles == 2 && sink.maxFileSize == 524_288)
            }
            let huge = FileLogSink(level: .info, directory: "x", maxKeptFiles: .max, maxFileSize: UInt64.max)
            #expect(huge.maxKeptFiles == .max && huge.maxFileSize == .max)
            #expect(FileLogSink(level: .info, directory: "x", maxKeptFiles: -1).maxKeptFiles == -1)
        }
    }
}
