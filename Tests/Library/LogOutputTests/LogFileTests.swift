import Base
import Foundation
import TestSupport
import Testing

@testable import LogOutput

@Suite("Log files")
struct LogFileTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var path: String { directory.path("logs") }

    private func settings(_ level: EventLevel, maxKeptFiles: Int32 = 2, maxFileSize: Int64 = 1000) -> LogFileSettings {
        LogFileSettings(
            level: level,
            directory: path,
            isPlainText: false,
            maxKeptFiles: maxKeptFiles,
            maxFileSize: maxFileSize,
            library: "test"
        )
    }

    /// The sizes of the files, the oldest first, of one level or all.
    private func sizes(_ level: EventLevel? = nil) throws -> [Int] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            .filter { $0.hasPrefix(level.map { "cbl_\($0)_" } ?? "cbl_") }
            .map { try Data(contentsOf: URL(fileURLWithPath: path + "/" + $0)).count }
    }

    @Test("log files that cannot be created are reported once, and are created when it becomes possible")
    func impossible() throws {
        try Data().write(to: URL(fileURLWithPath: path))
        let writer = FileLogWriter(settings(.info))
        let line = LogLine(.error, .query, "lost")
        #expect(writer.write(line)?.contains(path) == true)
        #expect(writer.write(line) == nil)
        #expect(writer.open(settings(.info), change: 1) == nil)
        try FileManager.default.removeItem(atPath: path)
        #expect(writer.write(line) == nil)
        #expect(try sizes().count == 1)
        #expect(writer.open(settings(.info), change: 1) == nil)
        #expect(try sizes().count == 3)
        let size = try sizes()
        writer.close()
        #expect(writer.write(line) == nil)
        #expect(try sizes() == size)
    }

    @Test("log files have the settings that were set last, in whatever order two threads open them")
    func order() throws {
        let first = settings(.error)
        let second = settings(.info, maxFileSize: 1)
        let writer = FileLogWriter(first)
        #expect(writer.open(second, change: 2) == nil)
        #expect(writer.open(first, change: 1) == nil)
        for _ in 0..<2 { #expect(writer.write(LogLine(.info, .query, "text")) == nil) }
        // Each file ends after one message.
        #expect(try sizes(.info).count == 2)
        #expect(try sizes().count == 4)
    }

    @Test("rotated files keep the newest messages, and exceed the maximum size by at most one message", arguments: [1, 2, 5])
    func rotation(_ kept: Int32) throws {
        let writer = FileLogWriter(settings(.info, maxKeptFiles: kept))
        for number in 0..<200 { #expect(writer.write(LogLine(.info, .query, "line \(number)")) == nil) }
        let sizes = try sizes(.info)
        #expect(sizes.count == kept)
        #expect(sizes.dropLast().allSatisfy { $0 > 1000 })
        #expect(sizes.allSatisfy { $0 < 1060 })
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        let numbers = try names.flatMap { name in
            try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)).split(separator: UInt8(ascii: "\n"))
                .map { String(decoding: $0, as: UTF8.self) }
                .filter { $0.contains("[Query] info: line ") }
                .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        }
        #expect(numbers.count > 10 * (Int(kept) - 1))
        #expect(numbers == Array((200 - numbers.count)..<200))
    }

    @Test("a message of several lines is formatted as one entry with indented lines")
    func multipleLines() {
        let line = LogLine(.info, .query, "a\nb\r\nc", at: Date(timeIntervalSince1970: 0.5))
        #expect(String(decoding: line.utf8, as: UTF8.self) == "1970-01-01T00:00:00.500Z [Query] info: a\n\tb\n\tc\n")
    }
}
