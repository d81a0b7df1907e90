import Foundation
import LogCore
import Synchronization
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

extension LoggingTests {
    @Suite("A sink of the app that takes its time")
    struct Handover {
        let log = FreshLog()

        /// Keeps what it is told, and holds up whoever tells it until it is let go.
        private final class Slow: LogSinkProtocol, Sendable {
            let kept = KeepingSink()
            let marker = UUID().uuidString
            private let gate = DispatchSemaphore(value: 0)
            private let end: String
            /// Is signalled when it has been told what ends so.
            let done = DispatchSemaphore(value: 0)
            /// Is signalled whenever it begins to take a message.
            let begun = DispatchSemaphore(value: 0)
            let isOpen = Atomic(false)
            let sharedThreadCount = Atomic(0)

            init(until end: String) {
                self.end = end
            }

            func writeLog(level: LogLevel, domain: LogDomain, message: String) {
                begun.signal()
                if SharedThread.isCurrent { sharedThreadCount.add(1, ordering: .relaxed) }
                if !isOpen.load(ordering: .sequentiallyConsistent) {
                    gate.wait()
                    gate.signal()
                }
                kept.writeLog(level: level, domain: domain, message: message)
                if message.hasSuffix(end) { done.signal() }
            }

            func open() {
                isOpen.store(true, ordering: .sequentiallyConsistent)
                gate.signal()
            }
        }

        /// Runs `body` on a thread like those that move the bytes of the network.
        private func onSharedThread(_ body: @escaping @Sendable () -> Void) throws {
            try onOtherThread {
                SharedThread.mark()
                body()
            }
        }

        /// A log of its own, with a sink.
        private func router(_ sink: any LogSinkProtocol) -> LogRouter {
            let router = LogRouter(of: EngineLog())
            let receiver = CustomReceiver(CustomLogSink(level: .info, logSink: sink))
            router.configure(.sinks) { setup in
                setup.console = ConsoleSelection(nil)
                setup.custom = receiver
            }
            return router
        }

        @Test("does not hold up threads that all connections share, and gets their messages in order")
        func order() throws {
            let sink = Slow(until: " 99")
            let (marker, router) = (sink.marker, router(sink))
            // Would wait for ever if it were called there.
            try onSharedThread {
                for number in 0..<100 { router.deliver(.info, .network) { "\(marker) \(number)" } }
            }
            #expect(sink.kept.messages(with: marker).isEmpty)
            sink.open()
            sink.done.wait()
            #expect(sink.kept.messages(with: marker).map(\.text) == (0..<100).map { "\(marker) \($0)" })
            #expect(sink.sharedThreadCount.load(ordering: .relaxed) == 0)
        }

        @Test("loses what is too much, and is told how much that was")
        func overflow() throws {
            let sink = Slow(until: "too slow")
            let (marker, router) = (sink.marker, router(sink))
            try onSharedThread {
                router.deliver(.info, .network) { "\(marker) first" }
                // That one does not wait any more.
                sink.begun.wait()
                for number in 0..<LogHandover.capacity + 10 {
                    router.deliver(.info, .network) { "\(marker) \(number)" }
                }
            }
            sink.open()
            sink.done.wait()
            #expect(sink.kept.messages(with: marker).count == LogHandover.capacity + 1)
            let notice = "10 messages of the network were dropped, because the log's sink is too slow"
            #expect(sink.kept.messages(with: "were dropped").map(\.text) == [notice])
        }

        @Test("has got everything when it is replaced")
        func flush() throws {
            let sink = KeepingSink()
            let router = router(sink)
            try onSharedThread {
                for number in 0..<100 { router.deliver(.info, .network) { "number \(number)" } }
            }
            router.configure(.sinks) { $0.custom = nil }
            #expect(sink.messages(with: "number").map(\.text) == (0..<100).map { "number \($0)" })
        }

        @Test("is called at once on other threads")
        func atOnce() throws {
            let sink = KeepingSink()
            let marker = UUID().uuidString
            LogSinks.custom = CustomLogSink(level: .info, logSink: sink)
            Log.log(domain: .network, level: .info, message: marker)
            #expect(sink.messages(with: marker).count == 1)
        }

        @Test("may replace itself while it is told something")
        func replacingItself() throws {
            final class Leaving: LogSinkProtocol, Sendable {
                let marker = UUID().uuidString
                let done = DispatchSemaphore(value: 0)

                func writeLog(level: LogLevel, domain: LogDomain, message: String) {
                    guard message.contains(marker) else { return }
                    LogSinks.custom = nil
                    done.signal()
                }
            }
            let sink = Leaving()
            let marker = sink.marker
            LogSinks.custom = CustomLogSink(level: .info, logSink: sink)
            try onSharedThread { Log.log(domain: .network, level: .info, message: marker) }
            sink.done.wait()
            #expect(LogSinks.custom == nil)
        }

        @Test("is asked for its level on its own thread, when it is of the older API")
        func olderAPI() throws {
            final class Asked: Logger, Sendable {
                let marker = UUID().uuidString
                let kept = KeepingSink()

                var level: LogLevel {
                    if SharedThread.isCurrent { Issue.record("it was asked on a shared thread") }
                    return .warning
                }

                func log(level: LogLevel, domain: LogDomain, message: String) {
                    kept.writeLog(level: level, domain: domain, message: message)
                }
            }
            let logger = Asked()
            let marker = logger.marker
            Database.log.custom = logger
            try onSharedThread {
                Log.log(domain: .network, level: .info, message: marker + " unwanted")
                Log.log(domain: .network, level: .error, message: marker)
            }
            Database.log.custom = nil
            #expect(logger.kept.messages(with: marker).map(\.text) == [marker])
        }

        #if Replication
            @Test("does not hold up replication", .timeLimit(.minutes(2)))
            func replication() async throws {
                final class Held: LogSinkProtocol, Sendable {
                    let gate = DispatchSemaphore(value: 0)
                    let sharedThreadCount = Atomic(0)

                    func writeLog(level: LogLevel, domain: LogDomain, message: String) {
                        if SharedThread.isCurrent { sharedThreadCount.add(1, ordering: .relaxed) }
                        guard domain == .network, message.hasPrefix("WebSocket: connected") else { return }
                        gate.wait()
                        gate.signal()
                    }
                }
                let served = try ServedDatabases(["db": []])
                let folder = try DatabaseFolder()
                let client = try folder.open("client")
                try client.saveDocument(MutableDocument(id: "ours"))
                let sink = Held()
                LogSinks.custom = CustomLogSink(level: .verbose, domains: [.network, .listener], logSink: sink)
                let url = try #require(URL(string: try served.url()))
                let config = ReplicatorConfiguration(target: URLEndpoint(url: url))
                config.addCollection(try client.defaultCollection())
                #expect(try await Replicator(config: config).run() == ["push ours"])
                sink.gate.signal()
                LogSinks.custom = nil
                #expect(sink.sharedThreadCount.load(ordering: .relaxed) == 0)
            }
        #endif
    }
}
