import CouchbaseLiteSwift
import CouchbaseLiteSwiftLogBridge
import TestSupport
import Testing

extension LoggingTests {
    @Suite("The guide to logging")
    struct Guide {
        let log = FreshLog()

        @Test("the examples of the guide to logging set up the console, files and a custom sink")
        func works() throws {
            let directory = try TemporaryDirectory()
            let logs = directory.url
            let queue = DispatchQueue(label: "warnings")

            LogSinks.console = ConsoleLogSink(level: .info)
            LogSinks.console = ConsoleLogSink(level: .verbose, domains: [.query])

            LogSinks.file = FileLogSink(level: .info, directory: logs.path, usePlainText: true)

            struct WarningPrinter: LogSinkProtocol {
                let queue: DispatchQueue

                func writeLog(level: LogLevel, domain: LogDomain, message: String) {
                    queue.async { print("something is wrong with the \(domain):", message) }
                }
            }
            LogSinks.custom = CustomLogSink(
                level: .warning,
                logSink: WarningPrinter(queue: queue)
            )

            LogSinks.custom = CustomLogSink(
                level: .info,
                logSink: SwiftLogSink(label: "com.example.database")
            )
            LogSinks.custom = nil
            let database = try TestDatabase().database
            let path = try #require(database.path)
            let files = try FileManager.default.contentsOfDirectory(at: logs, includingPropertiesForKeys: nil)
            let info = try #require(files.first { $0.lastPathComponent.hasPrefix("cbl_info_") })
            #expect(
                try String(contentsOf: info, encoding: .utf8).contains("created the database at \(path.dropLast())")
            )
        }
    }
}
