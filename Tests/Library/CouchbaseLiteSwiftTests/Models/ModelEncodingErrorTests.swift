import Foundation
import ModelCoding
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Errors of model encoding")
struct ModelEncodingErrorTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
    }

    /// The document of an object that encodes itself, as JSON with sorted keys.
    private func json(_ encode: @escaping (any Encoder) throws -> Void) throws -> String {
        let object = Custom(encode)
        try collection.save(from: object)
        let document = try collection.document(id: try ModelTypes.ofAPI.wrapper(of: object).id ?? "")
        return try canonical(try #require(document).toDictionary())
    }

    private func error(_ encode: @escaping (any Encoder) throws -> Void) -> String? {
        let found = message { try collection.save(from: Custom(encode)) }
        #expect(found?.code == .encoding || found == nil)
        #expect(collection.count == 0)
        return found?.text
    }

    @Test("an object that does not encode its properties by keys cannot be saved")
    func topLevel() {
        for encode: (any Encoder) throws -> Void in [
            {
                var single = $0.singleValueContainer(); try single.encode(1)
            },
            {
                var single = $0.singleValueContainer(); try single.encode(["a": 1])
            },
            {
                var single = $0.singleValueContainer(); try single.encodeNil()
            },
            {
                var list = $0.unkeyedContainer(); try list.encode(1)
            },
            { _ = $0.unkeyedContainer() },
        ] {
            #expect(error(encode)?.contains("an object must encode its properties in a keyed container") == true)
        }
        #expect(error { _ in }?.contains("nothing was encoded") == true)
    }

    @Test("encoding a value twice, not at all or too late throws an error")
    func misuse() {
        func inside(_ encode: @escaping (any Encoder) throws -> Void) -> String? {
            error { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(Custom(encode), forKey: "x")
            }
        }
        let twice = " at x: more than one value was encoded where one is expected"
        #expect(inside { _ in }?.hasSuffix(" at x: nothing was encoded") == true)
        #expect(
            inside {
                var single = $0.singleValueContainer()
                try single.encode(1)
                try single.encode(2)
            }?.hasSuffix(twice) == true
        )
        #expect(
            inside {
                _ = $0.container(keyedBy: AnyKey.self)
                _ = $0.unkeyedContainer()
            }?.hasSuffix(twice) == true
        )
        #expect(
            inside {
                var single = $0.singleValueContainer()
                try single.encodeNil()
                _ = $0.container(keyedBy: AnyKey.self)
            }?.hasSuffix(twice) == true
        )
        #expect(
            inside {
                var container = $0.container(keyedBy: AnyKey.self)
                try container.encode(1, forKey: "a")
                try container.encode("b", forKey: "a")
            }?.hasSuffix(" at x: two values were encoded for one key") == true
        )
        #expect(
            error {
                var container = $0.container(keyedBy: AnyKey.self)
                var same = container
                try container.encode(Custom { _ in try same.encode(1, forKey: "inside") }, forKey: "x")
            }?.contains("while a nested value was") == true
        )
        var escaped: KeyedEncodingContainer<AnyKey>?
        #expect(
            error {
                var container = $0.container(keyedBy: AnyKey.self)
                try container.encode(Custom { escaped = $0.container(keyedBy: AnyKey.self) }, forKey: "x")
                try escaped?.encode(1, forKey: "late")
            }?.contains("after the end") == true
        )
        #expect(throws: EncodingError.self) { try escaped?.encode(1, forKey: "later") }
        var part = escaped?.nestedUnkeyedContainer(forKey: "later")
        #expect(throws: EncodingError.self) { try part?.encode(1) }
    }

    @Test("saving fails if an object ignores an encoding error after a partial value was written")
    func swallowedErrors() {
        struct Failing: Encodable {
            struct Failure: Error {}
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(1, forKey: "half")
                throw Failure()
            }
        }
        let object = Custom { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            try? container.encode(Failing(), forKey: "x")
            try? container.encode(1, forKey: "y")
        }
        #expect(thrown { try collection.save(from: object) } == .couchbaseLite(CBLError.unexpectedError))
        #expect(collection.count == 0)
        // A value that was refused before anything was written can be replaced.
        #expect(
            throws: Never.self,
            performing: {
                let found = try json { encoder in
                    var container = encoder.container(keyedBy: AnyKey.self)
                    if (try? container.encode(Double.nan, forKey: "x")) == nil { try container.encode(0, forKey: "x") }
                }
                #expect(found == #"{"x":0}"#)
            }
        )
    }

    @Test("a retained encoding container cannot write into the next object")
    func keptContainers() throws {
        struct Stop: Error {}
        for stops in [true, false] {
            var kept: KeyedEncodingContainer<AnyKey>?
            let first = Custom { encoder in
                kept = encoder.container(keyedBy: AnyKey.self)
                if stops { throw Stop() }
            }
            #expect((thrown { try collection.save(from: first) } != nil) == stops)
            let found = try json { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(1, forKey: "a")
                #expect(throws: (any Error).self) { try kept?.encode(2, forKey: "b") }
                #expect(throws: (any Error).self) { try kept?.encode([2], forKey: "c") }
            }
            #expect(found == #"{"a":1}"#)
        }
    }

    @Test("an NSError thrown while encoding is passed through")
    func ownErrors() {
        let own = NSError(domain: "mine", code: 7)
        #expect(thrown { try collection.save(from: Custom { _ in throw own }) } == ErrorCode(domain: "mine", code: 7))
    }

    // MARK: Depth

    final class Node: Codable {
        var next: Node?
        var children: [Node?]?
    }

    @Test("cyclic and too deeply nested objects are refused")
    func cycles() throws {
        let node = Node()
        node.next = node
        #expect(message { try collection.save(from: Box(node)) }?.text.contains("contain themselves") == true)
        let parent = Node()
        parent.children = [nil, parent]
        #expect(message { try collection.save(from: Box(parent)) }?.code == .encoding)
        final class Alone: Encodable {
            func encode(to encoder: any Encoder) throws {
                var single = encoder.singleValueContainer()
                try single.encode(self)
            }
        }
        final class Parts: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(1, forKey: "level")
                // It is refused earlier, but the compiler must not detect the infinite recursion.
                if encoder.codingPath.count < 1000 { try encode(to: container.superEncoder()) }
            }
        }
        for value in [Alone(), Parts()] as [any Encodable] {
            #expect(
                error { encoder in
                    var container = encoder.container(keyedBy: AnyKey.self)
                    try container.encode(Custom(value.encode), forKey: "x")
                }?.contains("contain themselves") == true
            )
        }
    }

    @Test("an object with the maximum nesting depth can be saved and read, and a deeper one is refused")
    func deepest() throws {
        func chain(_ count: Int) -> Node {
            let first = Node()
            var last = first
            for _ in 1..<count {
                let next = Node()
                last.next = next
                last = next
            }
            return first
        }
        try collection.save(from: Box(chain(100), id: "x"))
        var count = 0
        var node = try collection.document(id: "x", as: Box<Node>.self)?.value
        while let current = node { (count, node) = (count + 1, current.next) }
        #expect(count == 100)
        #expect(thrown { try collection.save(from: Box(chain(101), id: "x")) } == .encoding)
        #expect(thrown { try collection.save(from: Box(chain(5000), id: "x")) } == .encoding)
        try database.close()
        #expect(try folder.problems() == [])
    }
}
