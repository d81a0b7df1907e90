import Base
import Foundation
import LogOutput
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

extension LoggingTests {
    @Suite("Log sinks")
    struct Sinks {
        let log = FreshLog()

        @Test("a custom sink gets only messages of its levels and domains", arguments: LogLevel.ofMessages + [.none])
        func levels(_ level: LogLevel) {
            let (sink, marker) = (KeepingSink(), UUID().uuidString)
            LogSinks.custom = CustomLogSink(level: level, domains: [.query, .network], logSink: sink)
            logEverything(marker)
            let expected = [LogDomain.query, .network].flatMap { domain in
                LogLevel.ofMessages.filter { $0.rawValue >= level.rawValue && level != .none }
                    .map { KeepingSink.Message(level: $0, domain: domain, text: marker) }
            }
            #expect(sink.messages(with: marker) == expected)
            #expect(LogSinks.custom?.level == level)
            #expect(LogSinks.custom?.domains == [.query, .network])
            #expect(LogSinks.custom?.logSink as? KeepingSink === sink)
        }

        @Test("a custom sink gets all domains by default, and unchanged messages")
        func defaults() {
            let sink = KeepingSink()
            let marker = "100 %@ %d \(UUID().uuidString)"
            LogSinks.custom = CustomLogSink(level: .error, logSink: sink)
            logEverything(marker)
            #expect(sink.messages(with: marker).map(\.domain) == LogDomain.allCases)
            #expect(sink.messages(with: marker).allSatisfy { $0.text == marker })
            LogSinks.custom = nil
            logEverything(marker)
            #expect(sink.messages(with: marker).count == 5)
        }

        @Test("the console logs warnings by default, and no other sink is set")
        func atFirst() {
            log.reset()
            #expect(LogSinks.console?.level == .warning)
            #expect(LogSinks.console?.domains == .all)
            #expect(LogSinks.file == nil)
            #expect(LogSinks.custom == nil)
            #expect(Database.log.console.level == .warning)
            #expect(Database.log.console.domains == .all)
            #expect(Database.log.file.config == nil)
            #expect(Database.log.file.level == .none)
            #expect(Database.log.custom == nil)
        }

        @Test("using both generations of the logging API raises an exception", arguments: [0, 1, 2, 3])
        func generations(_ use: Int) throws {
            let directory = try TemporaryDirectory()
            let reason = "Cannot use both new and old Logging API simultaneously."
            let older: [() -> Void] = [
                { Database.log.console.level = .info },
                { Database.log.custom = KeepingSink() },
                { Database.log.file.config = LogFileConfiguration(directory: directory.url.path) },
                { Database.setLogLevel(.info, domain: .all) },
            ]
            let newer: [() -> Void] = [
                { LogSinks.console = nil },
                { LogSinks.custom = nil },
                { LogSinks.file = nil },
                { LogSinks.console = ConsoleLogSink(level: .error) },
            ]
            older[use]()
            #expect(misuse(newer[use]) == ReportedMisuse(name: inconsistency, reason: reason))
            older[(use + 1) % 4]()
            LogSinks._resetApiVersion()
            newer[use]()
            #expect(misuse(older[use]) == ReportedMisuse(name: inconsistency, reason: reason))
            newer[(use + 1) % 4]()
        }

        @Test("a sink may use databases, whose messages are then not sent to the sink")
        func recursion() throws {
            final class Querying: LogSinkProtocol, Sendable {
                let folder: DatabaseFolder
                let kept = KeepingSink()

                init(_ folder: DatabaseFolder) { self.folder = folder }

                func writeLog(level: LogLevel, domain: LogDomain, message: String) {
                    guard message.contains(folder.path) else { return }
                    kept.writeLog(level: level, domain: domain, message: message)
                    do {
                        let database = try folder.open()
                        try database.saveDocument(MutableDocument())
                        _ = try database.createQuery("SELECT * FROM _").execute()
                        Log.log(domain: .database, level: .error, message: "from within, in \(folder.path)")
                        try database.close()
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            let folder = try DatabaseFolder()
            let sink = Querying(folder)
            LogSinks.custom = CustomLogSink(level: .info, logSink: sink)
            // On a separate thread, so that a deadlock is detected by the time limit.
            try onOtherThread {
                let database = try folder.open()
                _ = try database.createCollection(name: "people")
                try database.createIndex(ValueIndexConfiguration(["name"]), name: "byName")
                try database.deleteCollection(name: "people")
                try database.performMaintenance(type: .compact)
                try database.close()
            }
            LogSinks.custom = nil
            let said = sink.kept.messages(with: folder.path)
            #expect(said.count == 6)
            #expect(said.allSatisfy { !$0.text.contains("from within") })
            #expect(try folder.open().count == 6)
        }

        @Test("a sink that logs in its deinit does not deadlock")
        func logsAtEnd() throws {
            final class Last: LogSinkProtocol {
                func writeLog(level: LogLevel, domain: LogDomain, message: String) {}

                deinit { Log.log(domain: .database, level: .error, message: "the end") }
            }
            try onOtherThread {
                LogSinks.custom = CustomLogSink(level: .info, logSink: Last())
                LogSinks.custom = nil
            }
            #expect(LogSinks.custom == nil)
        }

        @Test("a logger of the older API may change its level between messages")
        func olderLevels() {
            let (logger, marker) = (KeepingSink(level: .error), UUID().uuidString)
            Database.log.custom = logger
            #expect(Database.log.custom as? KeepingSink === logger)
            logEverything(marker)
            #expect(Set(logger.messages(with: marker).map(\.level)) == [.error])
            logger.level = .info
            logEverything(marker)
            #expect(logger.messages(with: marker).count == 5 + 15)
            logger.level = .none
            logEverything(marker)
            #expect(logger.messages(with: marker).count == 5 + 15)
        }
    }

    @Suite("The console log")
    struct Console {
        let log = FreshLog()

        @Test("the console shows only messages of its level and domains")
        func selection() {
            let selection = ConsoleSelection(ConsoleLogSink(level: .info, domains: [.query]).selection)
            #expect(selection.includes(.info, .query))
            #expect(selection.includes(.error, .query))
            #expect(!selection.includes(.verbose, .query))
            #expect(!selection.includes(.error, .database))
            #expect(!ConsoleSelection(nil).includes(.error, .query))
        }

        @Test("the oldest API sets levels of the console by domain, until a level for all domains is set")
        func levelsByDomain() {
            log.reset()
            Database.setLogLevel(.verbose, domain: .query)
            Database.setLogLevel(.none, domain: [.network, .listener])
            #expect(isShown(.verbose, .query))
            #expect(!isShown(.error, .network))
            #expect(isShown(.warning, .database))
            #expect(!isShown(.info, .database))
            Database.setLogLevel(.error, domain: .all)
            #expect(!isShown(.warning, .query))
            Database.log.console.level = .info
            #expect(isShown(.info, .network))
            #expect(!isShown(.verbose, .query))
            Database.log.console.domains = [.database]
            #expect(isShown(.info, .database))
            #expect(!isShown(.info, .network))
            #expect(Database.log.console.level == .info)
        }

        private func isShown(_ level: EventLevel, _ domain: EventDomain) -> Bool {
            LogRouter.shared.setup.console.includes(level, domain)
        }

        @Test("an app that has not configured logging writes nothing when it opens databases, queries and replicates")
        func quietStart() throws {
            let folder = try DatabaseFolder()
            for _ in 0..<2 {
                let result = try ProcessRunner(product: "DatabaseWriter").run([folder.path, "db", "start"])
                #expect(result.ending == .exited(0))
                #expect(result.output == "")
                #expect(result.errorOutput == "")
            }
        }

        @Test("the console log is written to standard error with time, domain, level and message")
        func lines() throws {
            let folder = try DatabaseFolder()
            let result = try ProcessRunner(product: "DatabaseWriter").run([folder.path, "db", "log"])
            #expect(result.ending == .exited(0))
            #expect(result.output == "")
            let lines = result.errorOutput.split(separator: "\n").map(String.init)
            let time = #/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /#
            #expect(lines.allSatisfy { $0.contains(time) })
            let path = folder.bundle().path
            #expect(
                lines.map { String($0.replacing(time, with: "")) } == [
                    "[Database] info: opened the database at \(path), file version 503",
                    "[Database] info: closed the database at \(path)",
                ]
            )
        }
    }
}
