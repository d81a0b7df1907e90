import CouchbaseLiteSwift

// program
let folder = try DatabaseFolder()
let database = try folder.open("blobs")
let notes = try database.createCollection(name: "notes")
let png = Data([0x89, 0x50, 0x4E, 0x47])
let file = folder.url.appendingPathComponent("film.mp4")
let frames = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
try frames.write(to: file)
@Sendable func consume(_ bytes: ArraySlice<UInt8>) { print("consumed", bytes.count) }
// block: 1
check(content == png)
// block: 2
try await expectPrinted("consumed")
let microphone = AsyncStream<Data> { stream in
    stream.yield(Data(repeating: 1, count: 50_000))
    stream.finish()
}
@Sendable func play(_ buffer: Data) { print("played", buffer.count) }
// block: 3
// block: 4
check(found?.content == Data("Take it slowly.".utf8))
try await expectPrinted("played")
