import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

extension LoggingTests {
    @Suite("Log files")
    struct Files {
        let log = FreshLog()
        let directory: TemporaryDirectory

        init() throws {
            directory = try TemporaryDirectory()
        }

        private var path: String { directory.path("logs") }

        /// The contents of the files, the oldest first, of one level or all.
        private func files(_ level: LogLevel? = nil) throws -> [(name: String, bytes: Data)] {
            guard FileManager.default.fileExists(atPath: path) else { return [] }
            let prefix = level.map { "cbl_\($0)_" } ?? "cbl_"
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
                .filter { $0.hasPrefix(prefix) }
                .map { ($0, try Data(contentsOf: URL(fileURLWithPath: path + "/" + $0))) }
        }

        /// The lines in the files of a level that contain `text`.
        private func lines(_ level: LogLevel, with text: String) throws -> [String] {
            try files(level).flatMap { String(decoding: $0.bytes, as: UTF8.self).split(separator: "\n") }
                .filter { $0.contains(text) }.map(String.init)
        }

        @Test("the log has one file for each level with only the messages of that level")
        func levels() throws {
            LogSinks.file = FileLogSink(level: .verbose, directory: path, usePlainText: true)
            logEverything("said here")
            #expect(try lines(.debug, with: "said here").isEmpty)
            for level in [LogLevel.verbose, .info, .warning, .error] {
                let lines = try lines(level, with: "said here")
                #expect(lines.count == LogDomain.allCases.count, "\(level)")
                #expect(lines.allSatisfy { $0.contains("] \(level): ") })
                #expect(try files(level).count == 1)
            }
            #expect(try lines(.error, with: "said here").first?.hasSuffix("Z [Database] error: said here") == true)
            let names = try files().map(\.name)
            #expect(names.count == 4)
            #expect(names.allSatisfy { $0.contains(/^cbl_(verbose|info|warning|error)_\d{13}\.cbllog$/) })
        }

        @Test("a log file begins with two header lines, after a marker unless it is plain text")
        func header() throws {
            LogSinks.file = FileLogSink(level: .error, directory: path, usePlainText: true)
            Log.log(domain: .database, level: .error, message: "one")
            let plain = String(decoding: try #require(try files().first).bytes, as: UTF8.self)
            let lines = plain.split(separator: "\n")
            #expect(lines.first?.contains("maxFileSize=524288, maxKeptFiles=2") == true)
            #expect(lines[1].contains(/CouchbaseLite\/\d.* Build\/.* Commit\//))
            #expect(lines.dropFirst(2).count { $0.hasSuffix(" [Database] error: one") } == 1)
            LogSinks.file = FileLogSink(level: .error, directory: path)
            Log.log(domain: .database, level: .error, message: "two")
            let marked = try #require(try files().last).bytes
            #expect(Array(marked.prefix(5)) == [0xCF, 0xB2, 0xAB, 0x1B, 0x0A])
            #expect(String(decoding: marked.dropFirst(5), as: UTF8.self).contains("error: two\n"))
            #expect(FileLogSink.defaultUsePlaintext == false)
        }

        @Test("log files are rotated at their maximum size, and the oldest ones are deleted", arguments: [1, 2, 5])
        func rotation(_ kept: Int32) throws {
            LogSinks.file = FileLogSink(level: .info, directory: path, usePlainText: true, maxKeptFiles: kept, maxFileSize: 1000)
            let levels = [LogLevel.info, .warning, .error]
            // Suites that run at the same time write to the same log: the text must be one that only this test writes.
            for number in 0..<200 {
                for level in levels { Log.log(domain: .query, level: level, message: "rotated line \(number).") }
            }
            // No file is deleted anymore while the files are read.
            LogSinks.file = nil
            for level in levels {
                let files = try files(level)
                #expect(files.count == kept)
                let lines = try lines(level, with: "rotated line ")
                // The kept messages have no gaps. All of them may have been deleted: a message of another suite can begin the only kept file.
                let numbers = lines.compactMap { Int($0.split(separator: " ").last?.dropLast() ?? "") }
                #expect(numbers == Array((200 - numbers.count)..<200))
            }
        }

        @Test("log files of earlier runs count against the limit of kept files, and other files are not deleted")
        func earlierRuns() throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let names = [
                "cbl_error_1.cbllog", "cbl_error_22.cbllog", "cbl_error_x.cbllog", "cbl_info_3.cbllog", "mine",
                "cbl_error_9223372036854775807.cbllog",
            ]
            for name in names { try Data("old".utf8).write(to: URL(fileURLWithPath: path + "/" + name)) }
            LogSinks.file = FileLogSink(level: .error, directory: path)
            Log.log(domain: .query, level: .error, message: "new")
            let left = try FileManager.default.contentsOfDirectory(atPath: path)
            #expect(Set(left).intersection(names) == Set(names.dropFirst()))
            #expect(left.count == 6)
        }

        @Test("log files are created with their headers as soon as the sink is set", arguments: LogLevel.ofMessages + [.none])
        func atOnce(_ level: LogLevel) throws {
            LogSinks.file = FileLogSink(level: level, directory: path, usePlainText: true)
            var isDirectory: ObjCBool = false
            #expect(FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue)
            let wanted = LogLevel.ofMessages.filter { $0.rawValue >= level.rawValue }
            #expect(try files().count == wanted.count)
            for level in wanted {
                let file = String(decoding: try #require(try files(level).first).bytes, as: UTF8.self)
                // Messages of the library caused by other tests may follow them.
                #expect(file.split(separator: "\n").count >= 2)
                #expect(file.contains("CouchbaseLite/"))
            }
        }

        @Test("log files of the older API are created when both a configuration and a level are set")
        func atOnceInOlderAPI() throws {
            Database.log.file.level = .warning
            #expect(!FileManager.default.fileExists(atPath: path))
            Database.log.file.config = LogFileConfiguration(directory: path)
            #expect(try files().count == 2)
        }

        @Test("log files are continued when a sink for the same directory is set again")
        func continuing() throws {
            let levels = [LogLevel.warning, .none, .info, .error]
            for (number, level) in levels.enumerated() {
                LogSinks.file = FileLogSink(level: level, directory: path, usePlainText: true, maxFileSize: Int64(100_000 + number))
                Log.log(domain: .query, level: .error, message: "number \(number)")
            }
            #expect(try files().count == 3)
            #expect(try lines(.error, with: "number").map { $0.suffix(8) } == ["number 0", "number 2", "number 3"])
        }

        @Test("a log file contains no messages below its level, and is closed when the sink is set to nil")
        func closing() throws {
            LogSinks.file = FileLogSink(level: .warning, directory: path, usePlainText: true)
            Log.log(domain: .query, level: .info, message: "unwanted")
            Log.log(domain: .query, level: .warning, message: "first")
            #expect(try lines(.warning, with: "first").count == 1)
            #expect(try lines(.warning, with: "unwanted").isEmpty)
            #if os(Linux)
            #expect(try OpenFiles.count(below: path) == 2)
            #endif
            LogSinks.file = nil
            #if os(Linux)
            #expect(try OpenFiles.count(below: path) == 0)
            #endif
            Log.log(domain: .query, level: .warning, message: "second")
            #expect(try lines(.warning, with: "second").isEmpty)
        }

        @Test("log files are continued when only the level of the sink is changed")
        func changedLevel() throws {
            LogSinks.file = FileLogSink(level: .error, directory: path)
            Log.log(domain: .query, level: .error, message: "one")
            LogSinks.file = FileLogSink(level: .warning, directory: path)
            Log.log(domain: .query, level: .error, message: "two")
            #expect(try files(.error).count == 1)
            #expect(try files(.warning).count == 1)
            #expect(LogSinks.file?.level == .warning)
        }

        @Test("the older API writes log files once a level is set, and its configuration cannot be changed afterwards")
        func olderAPI() throws {
            let config = LogFileConfiguration(directory: path)
            #expect(config.usePlainText == false)
            #expect(config.maxSize == 524_288)
            #expect(config.maxRotateCount == 1)
            config.usePlainText = true
            config.maxSize = 1000
            config.maxRotateCount = 2
            Database.log.file.config = config
            Log.log(domain: .query, level: .error, message: "before there is a level")
            #expect(try files().isEmpty)
            Database.log.file.level = .info
            for _ in 0..<100 { Log.log(domain: .query, level: .info, message: "enough to fill some files") }
            #expect(try files(.info).count == 3)
            #expect(Database.log.file.config === config)
            #expect(Database.log.file.level == .info)
            let changes = [
                { config.maxSize = 1 }, { config.usePlainText = false }, { config.maxRotateCount = 0 },
            ]
            for change in changes { #expect(misuse(change)?.name == inconsistency) }
            #expect(config.maxSize == 1000)
            Database.log.file.config = nil
            #if os(Linux)
            #expect(try OpenFiles.count(below: path) == 0)
            #endif
        }

        @Test(
            "a log on a full disk drops only whole messages, and is continued when there is free space",
            .enabled(if: SmallDisk.canBeMade, "a small file system cannot be mounted here")
        )
        func fullDisk() throws {
            let disk = try #require(SmallDisk())
            let logs = disk.url.path + "/logs"
            LogSinks.file = FileLogSink(level: .error, directory: logs, usePlainText: true, maxFileSize: 100 << 20)
            let folder = try DatabaseFolder()
            let database = try folder.open()
            let ballast = disk.url.appendingPathComponent("ballast")
            Log.log(domain: .database, level: .error, message: "first")
            try Data(count: 3 << 20).write(to: ballast)
            let long = String(repeating: "x", count: 10_000)
            for number in 0..<200 { Log.log(domain: .database, level: .error, message: "\(number) \(long) end") }
            try database.saveDocument(MutableDocument())
            try FileManager.default.removeItem(at: ballast)
            Log.log(domain: .database, level: .error, message: "last")
            let texts = try FileManager.default.contentsOfDirectory(atPath: logs).sorted().map {
                try String(contentsOfFile: logs + "/" + $0, encoding: .utf8)
            }
            let lines = texts.flatMap { $0.split(separator: "\n").dropFirst(2) }
            #expect(lines.first?.hasSuffix("first") == true)
            #expect(lines.last?.hasSuffix("last") == true)
            #expect((3..<200).contains(lines.count))
            #expect(lines.dropFirst().dropLast().allSatisfy { $0.hasSuffix(" end") })
            LogSinks.file = nil
        }

        @Test("messages of several threads are written as whole lines")
        func threads() throws {
            LogSinks.file = FileLogSink(level: .info, directory: path, usePlainText: true, maxKeptFiles: 1000, maxFileSize: 2000)
            try onOtherThread {
                DispatchQueue.concurrentPerform(iterations: 8) { thread in
                    for number in 0..<50 {
                        Log.log(domain: .network, level: .info, message: "thread \(thread) number \(number) said")
                    }
                }
            }
            let lines = try lines(.info, with: "thread ")
            #expect(lines.count == 400)
            #expect(lines.allSatisfy { $0.contains(/Z \[Network\] info: thread \d number \d+ said$/) })
        }
    }
}
