import CouchbaseLiteSwift
import Foundation
import TestSupport

/// Saves documents with blobs and blobs without documents, purges and compacts at random, and reports each operation.
func writeBlobs(_ database: Database, seed: UInt64, from first: Int) throws {
    var generator = SeededGenerator(seed: seed)
    for number in first..<first + 1_000_000 {
        let content = GeneratedContent(ofBlob: number)
        let blob =
            number % 2 == 0
            ? Blob(contentType: "t", data: content.data)
            : Blob(contentType: "t", contentStream: content.stream())
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
            try database.saveBlob(blob: blob)
            report("stored \(number)")
        case 1:
            let document = MutableDocument(id: "blob-\(number)").setBlob(blob, forKey: "b")
            try database.saveDocument(document)
            try database.purgeDocument(document)
            report("purged \(number)")
        case 2:
            try database.performMaintenance(type: .compact)
            report("compacted \(number)")
        default:
            try database.saveDocument(MutableDocument(id: "blob-\(number)").setValue([["x": blob]], forKey: "b"))
            report("saved \(number)")
        }
    }
}

/// Saves one blob of `size` bytes from a stream, reads it back through a stream, and reports the peak memory before and after.
func measureBlob(_ database: Database, size: UInt64) throws {
    // The memory for a small blob is not counted.
    try roundTrip(database, GeneratedContent(count: 1_000_000))
    let before = PeakMemory.ofThisProcess ?? 0
    try roundTrip(database, GeneratedContent(count: size))
    report("peak \(before) \(PeakMemory.ofThisProcess ?? 0)")
}

private func roundTrip(_ database: Database, _ content: GeneratedContent) throws {
    let document = MutableDocument(id: "big")
        .setBlob(Blob(contentType: "t", contentStream: content.stream()), forKey: "b")
    try database.saveDocument(document)
    let stored = database.document(withID: "big")?.blob(forKey: "b")
    guard let stream = stored?.contentStream, stored?.length == content.count else { throw POSIXError(.EIO) }
    stream.open()
    defer { stream.close() }
    var expected = content
    let (read, wanted) = (Buffer(), Buffer())
    var count: UInt64 = 0
    while case let piece = stream.read(read.start, maxLength: Buffer.size), piece > 0 {
        let part = UnsafeMutableRawBufferPointer(start: wanted.start, count: piece)
        guard expected.read(into: part) == piece, memcmp(read.start, wanted.start, piece) == 0 else { throw POSIXError(.EIO) }
        count += UInt64(piece)
    }
    guard count == content.count else { throw POSIXError(.EIO) }
}

private final class Buffer {
    static let size = 1 << 16
    let start = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    deinit { start.deallocate() }
}
