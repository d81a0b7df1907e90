import Base
import Foundation
import LogOutput
import Synchronization
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

extension LoggingTests {
    @Suite("Slow custom log sinks")
    struct Handover {
        let log = FreshLog()

        /// Stores the received messages, and blocks the logging thread until it is released.
        private final class Slow: LogSinkProtocol, Sendable {
            let kept = KeepingSink()
            let marker = UUID().uuidString
            private let gate = DispatchSemaphore(value: 0)
            private let end: String
            /// Is signalled when it has received a message with this end.
            let done = DispatchSemaphore(value: 0)
            /// Is signalled whenever it begins to receive a message.
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

        /// Runs `body` on a thread like the network threads.
        private func onSharedThread(_ body: @escaping @Sendable () -> Void) throws {
            try onOtherThread {
                SharedThread.mark()
                body()
            }
        }

        /// A separate log with a sink.
        private func router(_ sink: any LogSinkProtocol) -> LogRouter {
            router(CustomReceiver(CustomLogSink(level: .info, logSink: sink)))
        }

        private func router(_ receiver: CustomReceiver) -> LogRouter {
            let router = LogRouter(of: EngineLog())
            router.configure(.sinks) { setup in
                setup.console = ConsoleSelection(nil)
                setup.custom = receiver
            }
            return router
        }

        @Test("a slow sink does not block a network thread, and gets the messages in order")
        func order() throws {
            let sink = Slow(until: " 99")
            let (marker, router) = (sink.marker, router(sink))
            // The sink would block forever if it were called there.
            try onSharedThread {
                for number in 0..<100 { router.deliver(.info, .network) { "\(marker) \(number)" } }
            }
            #expect(sink.kept.messages(with: marker).isEmpty)
            sink.open()
            sink.done.wait()
            #expect(sink.kept.messages(with: marker).map(\.text) == (0..<100).map { "\(marker) \($0)" })
            #expect(sink.sharedThreadCount.load(ordering: .relaxed) == 0)
        }

        @Test("messages beyond the capacity of the queue are dropped, and the sink is notified of their number")
        func overflow() throws {
            let sink = Slow(until: "too slow")
            let (marker, router) = (sink.marker, router(sink))
            try onSharedThread {
                router.deliver(.info, .network) { "\(marker) first" }
                // This message does not wait any longer.
                sink.begun.wait()
                for number in 0..<LogDeliveryQueue.capacity + 10 {
                    router.deliver(.info, .network) { "\(marker) \(number)" }
                }
            }
            sink.open()
            sink.done.wait()
            #expect(sink.kept.messages(with: marker).count == LogDeliveryQueue.capacity + 1)
            let notice = "10 log messages were dropped because the log sink is too slow"
            #expect(sink.kept.messages(with: "were dropped").map(\.text) == [notice])
        }

        @Test("a sink that receives only errors of one domain is notified of the number of dropped messages")
        func overflowOfErrors() throws {
            let sink = Slow(until: "too slow")
            let (marker, router) = (sink.marker, router(CustomReceiver(CustomLogSink(level: .error, domains: .listener, logSink: sink))))
            try onSharedThread {
                router.deliver(.error, .listener) { "\(marker) first" }
                sink.begun.wait()
                for number in 0..<LogDeliveryQueue.capacity + 3 { router.deliver(.error, .listener) { "\(marker) \(number)" } }
            }
            sink.open()
            #expect(sink.done.wait(timeout: .now() + waitLimit) == .success)
            let notice = "3 log messages were dropped because the log sink is too slow"
            #expect(sink.kept.messages(with: "were dropped") == [KeepingSink.Message(level: .error, domain: .listener, text: notice)])
        }

        @Test("a sink has got all pending messages when it is replaced")
        func flush() throws {
            let sink = KeepingSink()
            let router = router(sink)
            try onSharedThread {
                for number in 0..<100 { router.deliver(.info, .network) { "number \(number)" } }
            }
            router.configure(.sinks) { $0.custom = nil }
            #expect(sink.messages(with: "number").map(\.text) == (0..<100).map { "number \($0)" })
        }

        @Test("a sink is called synchronously on threads that are not shared")
        func atOnce() throws {
            let sink = KeepingSink()
            let marker = UUID().uuidString
            LogSinks.custom = CustomLogSink(level: .info, logSink: sink)
            Log.log(domain: .network, level: .info, message: marker)
            #expect(sink.messages(with: marker).count == 1)
        }

        @Test("a sink may replace itself while it is called")
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

        @Test("a logger of the older API is asked for its level on its own thread, not on a shared one")
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

        @Test("messages below the level of a logger of the older API are neither formatted nor queued on shared threads")
        func unwantedMessages() throws {
            final class Picky: Logger, Sendable {
                let slow = Slow(until: "last")
                let formattedCount = Atomic(0)

                var level: LogLevel { .error }

                func log(level: LogLevel, domain: LogDomain, message: String) {
                    slow.writeLog(level: level, domain: domain, message: message)
                }

                func unwanted() -> String {
                    formattedCount.add(1, ordering: .relaxed)
                    return "\(slow.marker) unwanted"
                }
            }
            let logger = Picky()
            let (slow, marker, router) = (logger.slow, logger.slow.marker, router(CustomReceiver(logger)))
            try onSharedThread {
                router.deliver(.error, .network) { "\(marker) first" }
                slow.begun.wait()
                for _ in 0..<LogDeliveryQueue.capacity + 10 { router.deliver(.warning, .network) { logger.unwanted() } }
                router.deliver(.error, .network) { "\(marker) last" }
            }
            slow.open()
            #expect(slow.done.wait(timeout: .now() + waitLimit) == .success)
            #expect(slow.kept.messages(with: " ").map(\.text) == ["\(marker) first", "\(marker) last"])
            #expect(logger.formattedCount.load(ordering: .relaxed) == 0)
        }

        @Test("shared threads follow a logger of the older API that changes its level")
        func changedLevel() throws {
            let logger = KeepingSink(level: .error)
            let ownLog = router(CustomReceiver(logger))
            func deliver(_ number: Int) throws {
                try onSharedThread { ownLog.deliver(.info, .network) { "number \(number)" } }
                ownLog.flush()
            }
            try deliver(1)
            logger.level = .info
            // The message is dropped, but causes the level to be read again.
            try deliver(2)
            try deliver(3)
            logger.level = .error
            try deliver(4)
            #expect(logger.messages(with: "number").map(\.text) == ["number 3"])
        }

        #if Replication
        @Test("a blocked sink does not block replication")
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
            let config = try ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: client.defaultCollection())],
                target: URLEndpoint(url: url)
            )
            #expect(try await Replicator(config: config).runToEnd() == ["push ours"])
            sink.gate.signal()
            LogSinks.custom = nil
            #expect(sink.sharedThreadCount.load(ordering: .relaxed) == 0)
        }

        @Test("a log sink can ask a listener for its status and stop it while the listener starts")
        func startingTellsTheLog() throws {
            final class Asking: LogSinkProtocol, @unchecked Sendable {
                // Unchecked: set before the listener starts, and used on the thread that starts it. Other tests start listeners on other threads.
                let thread = Thread.current
                var listener: URLEndpointListener?
                var statuses: [UInt64] = []

                func writeLog(level: LogLevel, domain: LogDomain, message: String) {
                    guard Thread.current === thread, message.hasPrefix("Listener: listening on"), let listener else { return }
                    statuses.append(listener.status.connectionCount)
                    listener.stop()
                }
            }
            let sink = Asking()
            let folder = try DatabaseFolder()
            let config = URLEndpointListenerConfiguration(collections: [try folder.open().defaultCollection()])
            config.disableTLS = true
            let listener = URLEndpointListener(config: config)
            sink.listener = listener
            LogSinks.custom = CustomLogSink(level: .info, domains: .listener, logSink: sink)
            defer { LogSinks.custom = nil }
            try listener.start()
            #expect(sink.statuses == [0])
            #expect(listener.port == nil)
        }
        #endif
    }
}
