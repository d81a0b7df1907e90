import ArgumentParser
import CouchbaseLiteSwift
import Foundation

extension SQLiteSource.Binary: ExpressibleByArgument {}

/// The options that describe the input of an import.
struct ImportFormatOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case json, csv, sqlite
    }

    @Option(help: "The format: json, csv or sqlite. By default sqlite with --table, csv for files named .csv, otherwise json.")
    var format: Format?
    @Option(
        help: ArgumentHelp(
            "The types of CSV columns: auto, text, or NAME:TYPE with types auto, text, int, number, bool, json and skip.",
            valueName: "types"
        )
    )
    var types: String?
    @Option(help: ArgumentHelp("The character between CSV fields, or tab.", valueName: "character")) var delimiter = ","
    @Option(help: ArgumentHelp("The table of an SQLite file.", valueName: "name")) var table: String?
    @Option(help: "What becomes of binary values of an SQLite table: blob (of the document) or base64 (text).") var binary:
        SQLiteSource.Binary?

    func validate() throws {
        if let types, ColumnTypes(types) == nil {
            let names = ColumnType.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--types \(types): give auto, text or NAME:TYPE,…; the types are \(names).")
        }
        guard delimiterByte != nil else { throw ValidationError("--delimiter must be one ASCII character other than a quote, or tab.") }
        guard format != .sqlite || table != nil, table == nil || chosen == .sqlite else {
            throw ValidationError("--format sqlite and --table NAME belong together.")
        }
        guard binary == nil || table != nil else { throw ValidationError("--binary is for --format sqlite only.") }
        guard types == nil || chosen == nil || chosen == .csv else { throw ValidationError("--types is for CSV only.") }
    }

    /// The format that the options say; `nil` if it follows from the input.
    private var chosen: Format? { format ?? (table != nil ? .sqlite : nil) }

    private var delimiterByte: UInt8? {
        if delimiter == "tab" || delimiter == "\\t" { return UInt8(ascii: "\t") }
        guard delimiter.utf8.count == 1, let byte = delimiter.utf8.first, byte < 0x80, !"\"\r\n".utf8.contains(byte) else { return nil }
        return byte
    }

    /// Returns the function that opens an input, and its size in bytes; `nil` if it is unknown (directories, pipes).
    ///
    /// - Throws: ``Failure`` if the input does not exist or cannot be read.
    func source(_ path: String) throws -> (open: (DocumentCollection) throws -> any DocumentSource, size: Int?) {
        var isDirectory: ObjCBool = false
        if path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
            guard chosen ?? .json == .json else { throw Failure(.badData, "\(path) is a directory, but a file is required") }
            let source = try JSONDirectorySource(path)
            return ({ _ in source }, nil)
        }
        let size = try InputFile.size(of: path)
        let isCSV = chosen == .csv || chosen == nil && path.lowercased().hasSuffix(".csv")
        // Opened when the inputs before it are imported, because a process has a limited number of open files.
        if let table {
            guard path != "-" else { throw Failure(.usage, "an SQLite file cannot be read from standard input") }
            return ({ try SQLiteSource(path, table: table, binary: binary ?? .blob, into: $0) }, nil)
        }
        if isCSV, let delimiterByte {
            let types = types.flatMap { ColumnTypes($0) } ?? ColumnTypes()
            return ({ _ in CSVSource(try InputFile(path), types: types, delimiter: delimiterByte) }, size)
        }
        return ({ _ in try Self.json(InputFile(path), path) }, size)
    }

    /// Returns the source for an input: an array if its first character is `[`, otherwise lines.
    private static func json(_ input: InputFile, _ path: String) throws -> any DocumentSource {
        while true {
            if input.withAvailable({ $0.starts(with: "SQLite format 3\0".utf8) }) {
                throw Failure(.badData, "\(path) is an SQLite file, not JSON", hint: "Import one of its tables with --table NAME.")
            }
            let first = input.withAvailable { bytes in
                bytes.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
            }
            if first == UInt8(ascii: "[") { return JSONArraySource(input) }
            if try first != nil || !input.fill() { return JSONLinesSource(input) }
        }
    }
}
