import CouchbaseLiteSwift
import Fleece
import Foundation

/// JSON texts given on the command line. The public API parses only objects and arrays.
enum JSONInput {
    /// Checks whether the bytes are JSON text.
    static func check(_ text: [UInt8]) throws { _ = try text.withUnsafeBytes { try JSON.fleece($0, allowingFragments: true) } }

    /// Returns a value that a document can store.
    static func value(_ text: String) throws -> Any {
        try check(Array(text.utf8))
        let value = try MutableDictionaryObject(json: "{\"value\":\(text)}").value(forKey: "value") ?? NSNull()
        // A blob without content could not be used; its dictionary can.
        return value is Blob ? try MutableDictionaryObject(json: text) : value
    }
}
