import DocumentStore
import Testing

@testable import Replication

@Suite("Checkpoint IDs")
struct CheckpointIDTests {
    static let url = "ws://localhost:4984/db/_blipsync"
    static let id = CheckpointID(databaseUUID: Array(0..<16), remoteURL: url)
    static let head = "4f10000102030405060708090a0b0c0d0e0f"
    static let urlFleece = "4f2077733a2f2f6c6f63616c686f73743a343938342f64622f5f626c697073796e63"

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    // The vectors of Replication 4.2.

    @Test("the checkpoint ID of the default collection without filters matches the reference value")
    func defaultCollection() throws {
        #expect(hexadecimal(try Self.id.encoded()) == Self.head + Self.urlFleece + "6002801b80138003")
        #expect(try Self.id.name() == "cp-tiC13OYfx9JC76fBHxYl6tzyWm4=")
    }

    @Test("the checkpoint ID with channels matches the reference value")
    func channels() throws {
        var id = Self.id
        id.channels = ["a", "channel2"]
        #expect(
            hexadecimal(try id.encoded()) == Self.head + Self.urlFleece
                + "486368616e6e656c32006002416180076006"
                + "8023801b8006300030003000" + "8007"
        )
        #expect(try id.name() == "cp-vc162Stv65oH0SGbqNa2S4bNagI=")
    }

    @Test("the checkpoint ID of a named collection that is only pulled matches the reference value")
    func namedCollection() throws {
        var id = Self.id
        id.collection = try CollectionID(name: "col")
        id.isPushing = false
        #expect(try id.name() == "cp-GWs+G5IYDOBVDfE9IQdkGg80Tvoz3h6FhzJXmZpG+84=")
    }

    @Test("the replication direction affects the checkpoint IDs of named collections only")
    func direction() throws {
        var id = Self.id
        id.isPushing = false
        #expect(try id.name() == Self.id.name())
        id.collection = try CollectionID(name: "col")
        let pullOnly = try id.name()
        id.isPushing = true
        #expect(try id.name() != pullOnly)
    }

    @Test("document IDs and their order affect the checkpoint ID")
    func documentIDs() throws {
        var ids = (0..<3).map { _ in Self.id }
        ids[1].documentIDs = ["a", "b"]
        ids[2].documentIDs = ["b", "a"]
        #expect(Set(try ids.map { try $0.name() }).count == 3)
    }

    @Test(
        "a URL is looked up with and without the standard port of its scheme",
        arguments: [
            ("ws://host/db/_blipsync", ["ws://host/db/_blipsync", "ws://host:80/db/_blipsync"]),
            ("ws://host:80/db/_blipsync", ["ws://host:80/db/_blipsync", "ws://host/db/_blipsync"]),
            ("wss://[::1]/db", ["wss://[::1]/db", "wss://[::1]:443/db"]),
            ("wss://[::1]:443/db", ["wss://[::1]:443/db", "wss://[::1]/db"]),
            ("wss://host:4984/db", ["wss://host:4984/db"]),
            ("device-17", ["device-17"]),
            ("x-msg://device", ["x-msg://device"]),
        ]
    )
    func spellings(url: String, expected: [String]) {
        #expect(CheckpointID.spellings(of: url) == expected)
    }
}
