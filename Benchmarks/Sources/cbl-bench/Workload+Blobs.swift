import CouchbaseLiteSwift

extension Workload {
    private static let blobCount = 2000
    private static let blobSize = 65_536
    private static let chunks = 4096
    private static let bigBlobSize = chunks * GeneratedStream.chunkSize

    /// Blobs of 64 KiB, and one of 256 MiB that is streamed. The floor has none: SQLite takes no part in it.
    static let blobs = [
        Workload("blob_write", needsDocuments: false, ours: writeBlobs),
        Workload("blob_read", needsDocuments: false, ours: readBlobs),
        Workload("blob_write_256m", needsDocuments: false, ours: writeBigBlob),
        Workload("blob_read_256m", needsDocuments: false, ours: readBigBlob),
    ]

    /// The contents of blob `i`: random numbers below 2^31 - 1, in little-endian order.
    private static func contents(_ i: Int) -> Data {
        var random = RandomSequence(seed: UInt64(i))
        var data = Data(count: blobSize)
        data.withUnsafeMutableBytes { bytes in
            for offset in stride(from: 0, to: blobSize, by: 4) {
                let number = UInt32(truncatingIfNeeded: random.next(below: 0x7fff_ffff))
                bytes.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt32.self)
            }
        }
        return data
    }

    private static func saveBlobs(in database: Database) throws -> [Blob] {
        try (0..<blobCount).map { i in
            let blob = Blob(contentType: "application/octet-stream", data: contents(i))
            try database.saveBlob(blob: blob)
            return blob
        }
    }

    private static func writeBlobs(_ stage: Stage) throws -> Outcome {
        try stage.withFreshDatabase { database in
            var saved: [Blob] = []
            let seconds = try timed { saved = try saveBlobs(in: database) }
            try expect(Set(saved.compactMap(\.digest)).count, toBe: blobCount, "different digests")
            return Outcome(seconds: seconds, megabytes: Double(blobCount * blobSize) / 1e6)
        }
    }

    private static func readBlobs(_ stage: Stage) throws -> Outcome {
        try stage.withFreshDatabase { database in
            let properties = try saveBlobs(in: database).map(stored)
            var length = 0
            let seconds = try timed {
                for blob in properties { length += try database.getBlob(properties: blob)?.content?.count ?? 0 }
            }
            try expect(length, toBe: blobCount * blobSize, "bytes")
            return Outcome(seconds: seconds, megabytes: Double(length) / 1e6)
        }
    }

    /// What finds the blob again, without its contents.
    private static func stored(_ blob: Blob) -> [String: Any] {
        blob.properties.merging([Blob.typeProperty: Blob.blobType]) { $1 }
    }

    private static func saveBigBlob(in database: Database) throws -> Blob {
        let stream = GeneratedStream(chunks: chunks)
        let blob = Blob(contentType: "application/octet-stream", contentStream: stream)
        try database.saveBlob(blob: blob)
        return blob
    }

    private static func writeBigBlob(_ stage: Stage) throws -> Outcome {
        try stage.withFreshDatabase { database in
            var length: UInt64 = 0
            let seconds = try timed { length = try saveBigBlob(in: database).length }
            try expect(Int(length), toBe: bigBlobSize, "bytes")
            return Outcome(seconds: seconds, megabytes: Double(length) / 1e6)
        }
    }

    private static func readBigBlob(_ stage: Stage) throws -> Outcome {
        try stage.withFreshDatabase { database in
            let properties = stored(try saveBigBlob(in: database))
            var length = 0
            let seconds = try timed {
                guard let stream = try database.getBlob(properties: properties)?.contentStream else { return }
                length = read(stream)
            }
            try expect(length, toBe: bigBlobSize, "bytes")
            return Outcome(seconds: seconds, megabytes: Double(length) / 1e6)
        }
    }

    private static func read(_ stream: InputStream) -> Int {
        stream.open()
        defer { stream.close() }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: GeneratedStream.chunkSize) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            var length = 0
            while true {
                let count = stream.read(start, maxLength: buffer.count)
                if count <= 0 { return length }
                length += count
            }
        }
    }
}
