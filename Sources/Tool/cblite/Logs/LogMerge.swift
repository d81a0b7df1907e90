import Foundation

/// The messages of several log files in the order of their times. Only one message of each file is in memory.
final class LogMerge {
    private struct Source {
        let reader: LogFileReader
        var next: LogRecord?
    }

    private let paths: [String]
    private var sources: [Source] = []
    /// The paths of the files that were opened, as bytes.
    private var known: Set<[UInt8]> = []
    private static let nameExtension = ".cbllog"

    /// - Parameter paths: Files, and directories, of which all log files are read.
    /// - Throws: ``Failure`` if a path does not exist or a directory has no log files.
    init(_ paths: [String]) throws {
        self.paths = paths
        for path in paths where Self.isDirectory(path) {
            guard try !Self.files(in: path).isEmpty else {
                throw Failure(.notFound, "there are no \(Self.nameExtension) files in \(path)")
            }
        }
        try findFiles()
    }

    /// Opens files that have been added since the last call.
    func findFiles() throws {
        for path in try paths.flatMap({ Self.isDirectory($0) ? try Self.files(in: $0) : [$0] }) {
            if known.insert(Array(path.utf8)).inserted { sources.append(Source(reader: try LogFileReader(path))) }
        }
    }

    /// Calls `body` with all messages that can be read now.
    ///
    /// - Parameter isComplete: See ``LogFileReader/next(isComplete:)``.
    func forEach(isComplete: Bool, _ body: (LogRecord) throws -> Void) throws {
        for index in sources.indices { sources[index].next = try sources[index].reader.next(isComplete: isComplete) }
        // Of equal times, the message of the file that was given first comes first.
        while let index = sources.indices.filter({ sources[$0].next != nil }).min(by: { time($0) < time($1) }) {
            if let record = sources[index].next { try body(record) }
            sources[index].next = try sources[index].reader.next(isComplete: isComplete)
        }
    }

    /// - Throws: ``Failure`` if a file is not a log file.
    func checkFormats() throws {
        for source in sources where !source.reader.isRecognized {
            throw Failure(.badData, "\(source.reader.path) is not a log file, or has no messages")
        }
    }

    private func time(_ index: Int) -> Int64 { sources[index].next?.time ?? .max }

    private static func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    private static func files(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(nameExtension) }.sorted()
            .map { directory + "/" + $0 }
    }
}
