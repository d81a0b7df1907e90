import Fleece

/// A message as it is written to the console and to files.
struct LogLine {
    let level: LogLevel
    private let text: String

    init(_ level: LogLevel, _ domain: LogDomain, _ message: String, at date: Date = Date()) {
        self.level = level
        let time = ISO8601.string(milliseconds: date.milliseconds)
        // A message of several lines must not look like several messages.
        let message = message.contains(where: \.isNewline) ? Self.indented(message) : message
        text = "\(time) [\(domain.name)] \(level.name): \(message)\n"
    }

    /// The line including its line feed, in UTF-8.
    var utf8: Data { Data(text.utf8) }

    func writeToConsole() {
        // A failure to write to standard error cannot be reported anywhere.
        try? FileHandle.standardError.write(contentsOf: utf8)
    }

    private static func indented(_ message: String) -> String {
        message.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "\n\t")
    }
}

/// An open log file. It is closed when the last copy of this value is released.
struct LogFile: Sendable {
    private let handle: FileHandle
    /// The number of bytes written.
    private(set) var size: Int64 = 0

    /// The beginning of files that are not plain text (API 13).
    static let mark = Data([0xCF, 0xB2, 0xAB, 0x1B, UInt8(ascii: "\n")])

    /// Creates a file for a level, and first deletes the oldest files beyond the limit.
    init(_ level: LogLevel, _ settings: FileLogSink) throws {
        let directory = URL(fileURLWithPath: settings.directory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
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

    private static func header(_ settings: FileLogSink) -> Data {
        let about = """
            directory=\(settings.directory), level=\(settings.level.name), maxFileSize=\(settings.maxFileSize), \
            maxKeptFiles=\(settings.maxKeptFiles), started=\(ISO8601.string(milliseconds: Date().milliseconds))
            ---- \(LibraryVersion.description) ----

            """
        return (settings.usePlaintext ? Data() : mark) + Data(about.utf8)
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

/// The name and version of the library, for logs.
enum LibraryVersion {
    static let number = "0.9.0"

    /// The version in the form that the original's tools look for (API 13). The sources do not contain the build
    /// number.
    static let description =
        "CouchbaseLite/\(number) (Swift; \(ProcessInfo.processInfo.operatingSystemVersionString)) Build/0 Commit/unknown"
}
