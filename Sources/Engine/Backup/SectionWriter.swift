import DocumentStore
import Foundation

/// Writes the parts of a section in their order.
struct SectionWriter {
    /// The digests of the chunks of the database file.
    private var chunks: [UInt8] = []
    private let previousChunks: [UInt8]
    private var buffer = [UInt8](repeating: 0, count: BackupFormat.chunkSize * BackupFormat.chunksPerBlock)
    private var logSize: UInt64 = 0

    init(previousChunks: [UInt8]) {
        self.previousChunks = previousChunks
    }

    /// Writes the chunks of the database file that are not the same as before.
    mutating func writeDatabase(_ file: BundleSnapshot.File, to writer: inout BlockWriter, progress: (UInt64) throws -> Void) throws {
        var position: UInt64 = 0
        while position < file.size {
            let wanted = min(buffer.count, Int(clamping: file.size - position))
            let count = try buffer.withUnsafeMutableBytes { bytes in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted]), at: position)
            }
            // The file cannot become shorter while it is read; what is missing would be zeros.
            guard count == wanted else { throw StoreError.corrupt(path: "db.sqlite3", reason: "it became shorter while it was read") }
            try writeChanged(count, at: position, to: &writer)
            position += UInt64(count)
            try progress(position)
        }
    }

    private mutating func writeChanged(_ count: Int, at position: UInt64, to writer: inout BlockWriter) throws(BackupError) {
        var runStart: Int?
        var runs: [Range<Int>] = []
        buffer.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: count, by: BackupFormat.chunkSize) {
                let chunk = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + BackupFormat.chunkSize, count)])
                let digest = BackupFormat.chunkDigest(chunk)
                let place = chunks.count..<chunks.count + BackupFormat.chunkDigestSize
                chunks.append(contentsOf: digest)
                let isSame = place.upperBound <= previousChunks.count && previousChunks[place] == digest
                if isSame, let first = runStart {
                    runs.append(first..<start)
                    runStart = nil
                } else if !isSame, runStart == nil {
                    runStart = start
                }
            }
        }
        if let runStart { runs.append(runStart..<count) }
        for run in runs {
            try buffer.withTypedBytes { bytes throws(BackupError) in
                _ = try writer.append(.database, at: position + UInt64(run.lowerBound), UnsafeRawBufferPointer(rebasing: bytes[run]))
            }
        }
    }

    /// Whether the database file begins as in the previous section. An encrypted file begins with a header that only another key changes.
    var beginsAsBefore: Bool { chunks.prefix(BackupFormat.chunkDigestSize) == previousChunks.prefix(BackupFormat.chunkDigestSize) }

    /// Writes the log, unless `isComplete` returns `false` afterwards.
    mutating func writeLog(_ file: BundleSnapshot.File, to writer: inout BlockWriter, isComplete: () throws -> Bool) throws {
        var size: UInt64 = 0
        let isKept = try writer.appendRevocably { writer in
            size = try copy(file, as: .log, to: &writer)
            return try isComplete()
        }
        if isKept { logSize = size }
    }

    mutating func writeBlob(_ name: String, _ file: BundleSnapshot.File, to writer: inout BlockWriter) throws {
        try writer.append(.blob, Array(name.utf8))
        let compresses = writer.compresses
        // Pictures and films do not become smaller; the first block shows it.
        _ = try copy(file, as: .content, to: &writer, stopsCompressing: true)
        writer.compresses = compresses
    }

    private mutating func copy(
        _ file: BundleSnapshot.File,
        as kind: BlockKind,
        to writer: inout BlockWriter,
        stopsCompressing: Bool = false
    ) throws -> UInt64 {
        var position: UInt64 = 0
        // The log may grow while it is copied. Only the bytes that it had when the snapshot was taken are copied.
        while position < file.size {
            let wanted = min(buffer.count, Int(clamping: file.size - position))
            let count = try buffer.withUnsafeMutableBytes { bytes in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted]), at: position)
            }
            if count == 0 { break }
            let isSmaller = try buffer.withTypedBytes { bytes throws(BackupError) in
                try writer.append(kind, at: position, UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
            if stopsCompressing, !isSmaller { writer.compresses = false }
            position += UInt64(count)
        }
        return position
    }

    func writeChunks(to writer: inout BlockWriter) throws(BackupError) {
        let perBlock = BackupFormat.maximumBlock / BackupFormat.chunkDigestSize / 4 * BackupFormat.chunkDigestSize
        for start in stride(from: 0, to: chunks.count, by: perBlock) {
            let number = UInt64(start / BackupFormat.chunkDigestSize)
            try writer.append(.chunks, at: number, Array(chunks[start..<min(start + perBlock, chunks.count)]))
        }
    }

    /// Writes the names of all blobs and the end, each of which is on the medium before the next.
    func finish(_ blobNames: [String], _ blobBytes: UInt64, to writer: inout BlockWriter) throws {
        var text: [UInt8] = []
        for name in blobNames {
            text.append(contentsOf: name.utf8)
            text.append(UInt8(ascii: "\n"))
            if text.count > BackupFormat.maximumBlock / 4 {
                try writer.append(.blobNames, text)
                text.removeAll(keepingCapacity: true)
            }
        }
        if !text.isEmpty { try writer.append(.blobNames, text) }
        try writer.synchronize()
        let end = SectionEnd(logSize: logSize, blobs: blobNames.count, blobBytes: blobBytes)
        try writer.append(.end, Array(try JSONEncoder().encode(end)))
        try writer.synchronize()
    }
}
