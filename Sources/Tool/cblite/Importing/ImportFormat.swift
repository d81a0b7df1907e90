import ArgumentParser
import CouchbaseLiteSwift
import Foundation

extension SQLiteSource.Binary: ExpressibleByArgument {}

extension TextEncoding: ExpressibleByArgument {
    init?(argument: String) { self.init(name: argument) }
}

/// The options that describe the input of an import.
struct ImportFormatOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case json, csv, sqlite
    }

    @Option(
        help:
            "The format: json, csv or sqlite. By default sqlite with --table or --all-tables, csv for files named .csv or .tsv, otherwise json."
    )
    var format: Format?
    @Option(
        help: ArgumentHelp(
            "The types of CSV columns: auto, text, or NAME=TYPE with types auto, text, int, number, bool, json and skip.",
            valueName: "types"
        )
    )
    var types: String?
    @Option(
        help: ArgumentHelp(
            "The character between CSV fields, or tab. By default tab for files named .tsv, otherwise found in the first rows.",
            valueName: "character"
        )
    )
    var delimiter: String?
    @Option(help: "The encoding of texts: utf8, utf16, utf16le, utf16be, latin1 or windows1252.") var encoding = TextEncoding.utf8
    @Option(help: ArgumentHelp("The property of a JSON file that contains the array of documents.", valueName: "path"))
    var path: String?
    @Option(help: ArgumentHelp("The table or view of an SQLite file.", valueName: "name")) var table: String?
    @Flag(help: "Import all tables and views of an SQLite file, each into a collection of its name.") var allTables = false
    @Flag(help: "With --all-tables, leave out the views.") var noViews = false
    @Option(help: "What becomes of binary values of an SQLite table: blob (of the document) or base64 (text).") var binary:
        SQLiteSource.Binary?

    func validate() throws {
        if let types, ColumnTypes(types) == nil {
            let names = ColumnType.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--types \(types): give auto, text or NAME=TYPE,…; the types are \(names).")
        }
        guard delimiter == nil || delimiterByte != nil else {
            throw ValidationError("--delimiter must be one ASCII character other than a quote, or tab.")
        }
        guard format != .sqlite || isSQLite, !isSQLite || chosen == .sqlite else {
            throw ValidationError("--format sqlite and --table NAME or --all-tables belong together.")
        }
        guard table == nil || !allTables else { throw ValidationError("Give --table or --all-tables, not both.") }
        guard !noViews || allTables else { throw ValidationError("--no-views is for --all-tables only.") }
        guard binary == nil || isSQLite else { throw ValidationError("--binary is for --format sqlite only.") }
        guard types == nil || chosen == nil || chosen == .csv else { throw ValidationError("--types is for CSV only.") }
        if let path {
            guard ValuePath(parsing: path)?.keys != nil else { throw ValidationError("--path \(path): give names with dots between them.") }
            guard chosen == nil || chosen == .json else { throw ValidationError("--path is for JSON only.") }
        }
    }

    /// The format that the options say; `nil` if it follows from the input.
    private var chosen: Format? { format ?? (isSQLite ? .sqlite : nil) }

    private var isSQLite: Bool { table != nil || allTables }

    private var delimiterByte: UInt8? {
        if delimiter == "tab" || delimiter == "\\t" { return UInt8(ascii: "\t") }
        guard let delimiter, delimiter.utf8.count == 1, let byte = delimiter.utf8.first, byte < 0x80, !"\"\r\n".utf8.contains(byte) else {
            return nil
        }
        return byte
    }

    /// Returns the input at a path; with `--all-tables`, one for each table.
    ///
    /// - Parameter idColumn: The column with the IDs, which a CSV file and the table of `--table` must have; `nil` if none is required.
    /// - Throws: ``Failure`` if the input does not exist or cannot be read.
    func inputs(_ path: String, idColumn: String?) throws -> [ImportInput] {
        var isDirectory: ObjCBool = false
        if path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
            guard chosen ?? .json == .json, self.path == nil else {
                throw Failure(.badData, "\(path) is a directory, but a file is required")
            }
            let source = try JSONDirectorySource(path)
            return [ImportInput { _ in source }]
        }
        let size = try InputFile.size(of: path)
        return try isSQLite ? sqlite(path, idColumn) : [text(path, size, idColumn)]
    }

    private func sqlite(_ path: String, _ idColumn: String?) throws -> [ImportInput] {
        guard path != "-" else { throw Failure(.usage, "an SQLite file cannot be read from standard input") }
        let binary = binary ?? .blob
        if let table { return [ImportInput { try SQLiteSource(path, table: table, idColumn: idColumn, binary: binary, into: $0) }] }
        return try SQLiteTables.collections(of: path, includingViews: !noViews).map { table, collection in
            ImportInput(collection: collection) { try SQLiteSource(path, table: table, binary: binary, into: $0) }
        }
    }

    private func text(_ path: String, _ size: Int?, _ idColumn: String?) -> ImportInput {
        let name = Self.nameForFormat(path)
        let isCSV = chosen == .csv || chosen == nil && self.path == nil && (name.hasSuffix(".csv") || name.hasSuffix(".tsv"))
        // The size of a compressed or converted text is not known.
        let textSize = encoding == .utf8 && !path.lowercased().hasSuffix(".gz") ? size : nil
        if isCSV {
            let types = types.flatMap { ColumnTypes($0) } ?? ColumnTypes()
            let delimiter = delimiterByte ?? (name.hasSuffix(".tsv") ? UInt8(ascii: "\t") : nil)
            let isFile = path != "-" && size != nil
            return ImportInput(size: textSize) { _ in
                try CSVSource(types: types, delimiter: delimiter, idColumn: idColumn, opener(path, isFile: isFile))
            }
        }
        return ImportInput(size: textSize) { _ in try json(InputFile(path, encoding: encoding), path) }
    }

    /// The path in small letters, without the extension of compressed files.
    private static func nameForFormat(_ path: String) -> String {
        let name = path.lowercased()
        return name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
    }

    /// Returns a function that opens an input at its beginning, as often as it is called. What is no file is copied for that.
    private func opener(_ path: String, isFile: Bool) throws -> () throws -> InputFile {
        let encoding = encoding
        if isFile { return { try InputFile(path, encoding: encoding) } }
        let copy = try SpooledInput(InputFile(path, encoding: encoding))
        return { try copy.open() }
    }

    /// Returns the source for an input: an array if its first character is `[`, or with `--path`, otherwise lines.
    private func json(_ input: InputFile, _ path: String) throws -> any DocumentSource {
        if let keys = self.path.flatMap({ ValuePath(parsing: $0)?.keys }) { return JSONArraySource(input, at: keys) }
        while true {
            if input.withAvailable({ $0.starts(with: "SQLite format 3\0".utf8) }) {
                throw Failure(
                    .badData,
                    "\(path) is an SQLite file, not JSON",
                    hint: "Import one of its tables or views with --table NAME, or all with --all-tables."
                )
            }
            let first = input.withAvailable { bytes in
                bytes.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
            }
            if first == UInt8(ascii: "[") { return JSONArraySource(input) }
            if try first != nil || !input.fill() { return JSONLinesSource(input) }
        }
    }
}

/// An input of an import. It is opened when the inputs before it are imported, because a process has a limited number of open files.
struct ImportInput {
    /// The collection into which the input is imported; `nil` for that of the options.
    var collection: CollectionName?
    /// The size in bytes; `nil` if it is unknown (directories, pipes, compressed files).
    var size: Int?
    let open: (DocumentCollection) throws -> any DocumentSource
}
