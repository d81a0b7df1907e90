package import Base
import Fleece
import Foundation

/// Which log files are written, and where.
package struct LogFileSettings: Sendable {
    /// The minimum level of the messages that are written; `nil` if none are.
    package let level: EventLevel?
    /// The path of the directory, which is created when the first file is written.
    package let directory: String
    /// Whether files begin without ``LogFile/mark``.
    package let isPlainText: Bool
    /// The number of files that are kept per level, including the current one; at least one is kept.
    package let maxKeptFiles: Int32
    /// The size in bytes beyond which a file is followed by a new one.
    package let maxFileSize: Int64
    /// The name and version of the library, for the header.
    let library: String

    package init(level: EventLevel?, directory: String, isPlainText: Bool, maxKeptFiles: Int32, maxFileSize: Int64, library: String) {
        self.level = level
        self.directory = directory
        self.isPlainText = isPlainText
        self.maxKeptFiles = maxKeptFiles
        self.maxFileSize = maxFileSize
        self.library = library
    }

    @discardableResult
    func makeDirectory() throws -> URL {
        let url = URL(fileURLWithPath: directory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return url
    }

    func includes(_ level: EventLevel) -> Bool { self.level.includes(level) }
}

/// An open log file. It is closed when the last copy of this value is released.
struct LogFile: Sendable {
    private let handle: FileHandle
    private(set) var size: Int64 = 0

    /// The beginning of files that are not plain text (API 13).
    static let mark = Data([0xCF, 0xB2, 0xAB, 0x1B, UInt8(ascii: "\n")])

    /// Creates a file for a level, and first deletes the oldest files beyond the limit.
    init(_ level: EventLevel, _ settings: LogFileSettings) throws {
        let directory = try settings.makeDirectory()
        let prefix = "cbl_\(level.name)_"
        var files = try Self.files(in: directory, prefix: prefix)
        while !files.isEmpty, files.count >= settings.maxKeptFiles {
            try? FileManager.default.removeItem(at: directory.appendingPathComponent(files.removeFirst().name))
        }
        // Times in file names must be unique and ascending, even for files created within one millisecond.
        let time = max(Date().milliseconds, (files.last?.time ?? 0) + 1)
        let url = try Self.createFile(in: directory, prefix: prefix, time: time)
        handle = try FileHandle(forWritingTo: url)
        do {
            try append(Self.header(settings))
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw error
        }
    }

    /// Writes all of `data`, or nothing.
    mutating func append(_ data: Data) throws {
        do {
            try handle.write(contentsOf: data)
            size += Int64(data.count)
        } catch {
            try? handle.truncate(atOffset: UInt64(size))
            throw error
        }
    }

    private static func header(_ settings: LogFileSettings) -> Data {
        let about = """
            directory=\(settings.directory), level=\(settings.level?.name ?? "none"), maxFileSize=\(settings.maxFileSize), \
            maxKeptFiles=\(settings.maxKeptFiles), started=\(ISO8601.string(milliseconds: Date().milliseconds))
            ---- \(settings.library) ----

            """
        return (settings.isPlainText ? Data() : mark) + Data(about.utf8)
    }

    /// Returns the files of a level, sorted by the time in their names, oldest first.
    private static func files(in directory: URL, prefix: String) throws -> [(time: Int64, name: String)] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).compactMap { name in
            guard name.hasPrefix(prefix), name.hasSuffix(nameExtension),
                let time = Int64(name.dropFirst(prefix.count).dropLast(nameExtension.count)), times.contains(time)
            else { return nil }
            return (time, name)
        }
        .sorted { $0.0 < $1.0 }
    }

    /// Creates a new empty file. The loop is needed because another process may log to the same directory.
    private static func createFile(in directory: URL, prefix: String, time: Int64) throws -> URL {
        var time = time
        while true {
            let url = directory.appendingPathComponent("\(prefix)\(time)\(nameExtension)")
            do {
                try Data().write(to: url, options: .withoutOverwriting)
                // Only the user may read the log.
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
                return url
            } catch CocoaError.fileWriteFileExists {
                time += 1
            }
        }
    }

    private static let nameExtension = ".cbllog"

    /// The times that are accepted in file names: those of the next two hundred thousand years.
    private static let times: Range<Int64> = 0..<(1 << 53)
}
