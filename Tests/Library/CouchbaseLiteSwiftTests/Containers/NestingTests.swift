import Fleece
import Foundation
import Testing

@testable import CouchbaseLiteSwift

@Suite("Deeply nested and cyclic values")
struct NestingTests {
    private func save(_ document: MutableDocument) -> FleeceError? {
        do {
            _ = try DocumentCodec().roundTrip(document)
            return nil
        } catch {
            return error as? FleeceError
        }
    }

    private static func nested(_ depth: Int, inDictionaries: Bool) -> Any {
        (0..<depth).reduce(1 as Any) { inner, _ in inDictionaries ? ["k": inner] as Any : [inner] as Any }
    }

    @Test("values can be saved up to the maximum nesting depth, and deeper ones are refused", arguments: [false, true])
    func depth(inDictionaries: Bool) {
        let fitting = Self.nested(100, inDictionaries: inDictionaries)
        #expect(save(MutableDocument(data: ["v": fitting])) == nil)
        #expect(save(MutableDocument().setValue(fitting, forKey: "v")) == nil)
        for depth in [101, 102, 5000] {
            let tooDeep = Self.nested(depth, inDictionaries: inDictionaries)
            #expect(save(MutableDocument(data: ["v": tooDeep])) == FleeceError(.tooDeep))
            #expect(save(MutableDocument().setValue(tooDeep, forKey: "v")) == FleeceError(.tooDeep))
            let array = MutableArrayObject(data: [tooDeep])
            #expect(save(MutableDocument().setArray(array, forKey: "v")) == FleeceError(.tooDeep))
        }
    }

    @Test("a part of values nested too deeply cannot be saved")
    func part() throws {
        let document = MutableDocument().setValue(Self.nested(5000, inDictionaries: false), forKey: "v")
        var part = try #require(document.array(forKey: "v"))
        for _ in 0..<60 { part = try #require(part.array(at: 0)) }
        #expect(save(MutableDocument().setArray(part, forKey: "v")) == FleeceError(.tooDeep))
        #expect(save(MutableDocument().setArray(part.toMutable(), forKey: "v")) == FleeceError(.tooDeep))
    }

    @Test("deeply nested JSON is refused")
    func json() {
        let json = String(repeating: "[", count: 100_000)
        #expect(thrown { _ = try MutableArrayObject(json: json) } == .couchbaseLite(CBLError.invalidJSON))
    }

    /// On other systems, Foundation itself recurses infinitely when it accesses such a container.
    private static let foundationReadsCycles: Bool = {
        #if canImport(Darwin)
        true
        #else
        false
        #endif
    }()

    @Test(
        "cyclic containers of Foundation cannot be saved",
        .enabled(if: foundationReadsCycles, "Foundation cannot read containers that contain themselves here")
    )
    func cycles() {
        let array = NSMutableArray()
        array.add(array)
        array.add([array])
        let dictionary = NSMutableDictionary()
        dictionary["d"] = dictionary
        dictionary["a"] = NSArray(array: [dictionary, dictionary])
        defer {
            array.removeAllObjects()
            dictionary.removeAllObjects()
        }
        for value in [array, dictionary] as [Any] {
            #expect(save(MutableDocument().setValue(value, forKey: "v")) == FleeceError(.tooDeep))
            #expect(save(MutableDocument(data: ["v": [value]])) == FleeceError(.tooDeep))
        }
    }

    @Test("a container of Foundation may be used in several places")
    func shared() throws {
        let shared = NSMutableDictionary(dictionary: ["x": 1])
        let document = try stored(["a": shared, "b": [shared, NSArray(array: [shared])]])
        #expect(try canonical(document.toDictionary()) == #"{"a":{"x":1},"b":[{"x":1},[{"x":1}]]}"#)
    }

    @Test("setting an object inside itself with other values raises an exception")
    func ownData() {
        let dictionary = MutableDictionaryObject().setInt(1, forKey: "x")
        let array = MutableArrayObject().addInt(1)
        #expect(misuse { dictionary.setData(["a": [dictionary]]) }?.name == invalidArgument)
        #expect(misuse { array.setData([["a": array]]) }?.name == invalidArgument)
        #expect(misuse { array.addValue(["a": array]) }?.name == invalidArgument)
        #expect(dictionary.int(forKey: "x") == 1)
        #expect(array.count == 1)
    }
}
