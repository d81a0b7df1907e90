import DatabaseRuntime
import DocumentStore
import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Blob contents as async sequences of buffers")
struct BlobBuffersTests {
    let folder: DatabaseFolder
    let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
    }

    private func save(_ blob: Blob, _ id: String = "a") throws -> Blob {
        try database.saveDocument(MutableDocument(id: id).setBlob(blob, forKey: "b"))
        return try #require(database.document(withID: id)?.blob(forKey: "b"))
    }

    private func collect(_ buffers: BlobBuffers) async throws -> [Data] {
        var collected: [Data] = []
        for try await buffer in buffers { collected.append(buffer) }
        return collected
    }

    private func code(_ body: () async throws -> Void) async -> ErrorCode? {
        do {
            try await body()
            return nil
        } catch let error as NSError {
            return ErrorCode(domain: error.domain, code: error.code)
        }
    }

    @Test("the buffers of a blob are in order and of the requested size", arguments: [0, 100, 8192, 200_000])
    func reading(size: UInt64) async throws {
        let data = GeneratedContent(count: size).data
        let unsaved = Blob(contentType: "t", data: data)
        for blob in [unsaved, try save(Blob(contentType: "t", data: data))] {
            for (offset, bufferSize) in [(0, 65536), (0, 1000), (37, 4096), (Int(size), 10), (.max, 10)] {
                let buffers = try await collect(blob.buffers(from: UInt64(offset), bufferSize: bufferSize))
                #expect(Data(buffers.joined()) == data.dropFirst(offset))
                #expect(buffers.dropLast().allSatisfy { $0.count == bufferSize })
                #expect(buffers.last.map { !$0.isEmpty && $0.count <= bufferSize } != false)
            }
        }
    }

    @Test("the buffers of a blob can be read again, and by several tasks concurrently")
    func again() async throws {
        let data = GeneratedContent(count: 300_000).data
        let buffers = try save(Blob(contentType: "t", data: data)).buffers(bufferSize: 10_000)
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var all = Data()
                    for try await buffer in buffers { all += buffer }
                    return all
                }
            }
            for try await all in group { #expect(all == data) }
        }
    }

    @Test("reading the buffers of a missing, damaged or unread content throws an error and ends")
    func errors() async throws {
        let blob = try save(Blob(contentType: "t", data: GeneratedContent(count: 100_000).data))
        let path = try database.openFile().blobs.path(of: #require(BlobDigest(blob.digest ?? "")))
        try FileManager.default.removeItem(atPath: path)
        #expect(await code { _ = try await collect(blob.buffers()) } == .notFound)
        try Data(count: 10).write(to: URL(fileURLWithPath: path))
        var iterator = blob.buffers().makeAsyncIterator()
        #expect(await code { _ = try await iterator.next() } == .couchbaseLite(CBLError.corruptData))
        #expect(try await iterator.next() == nil)
        let unread = Blob(contentType: "t", contentStream: InputStream(data: Data(count: 10)))
        #expect(await code { _ = try await collect(unread.buffers()) } == .notFound)
        #expect(unread.content == Data(count: 10))
        try database.close()
        #expect(await code { _ = try await collect(blob.buffers()) } == .notOpen)
    }

    @Test("a buffer size of 0 raises an exception")
    func emptyBuffers() {
        #expect(misuse { _ = Blob(contentType: "t", data: Data()).buffers(bufferSize: 0) }?.name == invalidArgument)
    }

    @Test("the stream of a blob begins at the requested offset", arguments: [100, 200_000])
    func streams(size: UInt64) throws {
        let data = GeneratedContent(count: size).data
        for blob in [Blob(contentType: "t", data: data), try save(Blob(contentType: "t", data: data))] {
            for offset in [0, 1, 99, size, .max] {
                var read = Data()
                try #require(blob.contentStream(from: offset)).forEachPiece { read.append(contentsOf: $0) }
                #expect(read == data.dropFirst(Int(clamping: offset)))
            }
        }
    }

    /// Buffers whose content is derived from their number; `end` determines what follows them.
    private struct Source: AsyncSequence {
        let sizes: [Int]
        var end: @Sendable () throws -> Void = {}

        struct Iterator: AsyncIteratorProtocol {
            var content: GeneratedContent
            var sizes: ArraySlice<Int>
            let end: @Sendable () throws -> Void

            mutating func next() async throws -> [UInt8]? {
                guard let size = sizes.popFirst() else {
                    try end()
                    return nil
                }
                var buffer = [UInt8](repeating: 0, count: size)
                _ = buffer.withUnsafeMutableBytes { content.read(into: $0) }
                return buffer
            }
        }

        var content: GeneratedContent { GeneratedContent(count: UInt64(sizes.reduce(0, +))) }

        func makeAsyncIterator() -> Iterator { Iterator(content: content, sizes: sizes[...], end: end) }
    }

    private var files: [String] {
        let directory = folder.bundle().path + "/Attachments"
        return ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    @Test(
        "a blob made from buffers is written as they arrive, and is stored with its document",
        arguments: [[], [0, 8, 0], [100_000, 8, 200_000]] as [[Int]]
    )
    func writing(sizes: [Int]) async throws {
        let source = Source(sizes: sizes)
        let blob = try await Blob(contentType: "video/mp4", buffers: source, in: database)
        #expect(blob.length == source.content.count)
        #expect(blob.contentType == "video/mp4")
        #expect(blob.digest == nil)
        #expect(blob.content == source.content.data)
        #expect(files.allSatisfy { $0.hasPrefix("incoming_") })
        try database.performMaintenance(type: .compact)
        let stored = try save(blob)
        #expect(stored.content == source.content.data)
        #expect(blob.digest == stored.digest)
        #expect(files == [try #require(BlobDigest(blob.digest ?? "")).fileName])
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("buffers that end with an error or a cancellation create no blob and leave no files")
    func failing() async throws {
        let database = database
        let failing = Source(sizes: [1000, 1000], end: { throw POSIXError(.ECONNRESET) })
        await #expect(throws: POSIXError.self) { try await Blob(contentType: "t", buffers: failing, in: database) }
        #expect(files == [])
        // A sequence that simply ends when its task is cancelled.
        let cancelled = Task {
            let source = Source(sizes: [1000], end: { withUnsafeCurrentTask { $0?.cancel() } })
            return try await Blob(contentType: "t", buffers: source, in: database)
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(files == [])
        // A sequence that ends with another error when its task is cancelled.
        let aborted = Task {
            let source = Source(
                sizes: [1000],
                end: {
                    withUnsafeCurrentTask { $0?.cancel() }
                    throw POSIXError(.ECANCELED)
                }
            )
            return try await Blob(contentType: "t", buffers: source, in: database)
        }
        await #expect(throws: CancellationError.self) { try await aborted.value }
        #expect(files == [])
        try database.close()
        #expect(await code { _ = try await Blob(contentType: "t", buffers: Source(sizes: [1]), in: database) } == .notOpen)
    }
}
