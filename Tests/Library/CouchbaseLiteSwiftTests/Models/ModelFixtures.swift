import Foundation

@testable import CouchbaseLiteSwift

/// A model with properties of many kinds.
final class Hotel: Codable, Equatable {
    struct Address: Codable, Equatable {
        var street: String
        var zip: Int?
    }

    enum Kind: String, Codable { case hotel, hostel }

    @DocumentID var id: String?
    var name: String
    var stars = 3
    var rating = 4.5
    var share: Float = 0.1
    var isOpen = true
    var kind = Kind.hotel
    var address = Address(street: "Main St", zip: 94040)
    var tags = ["a", "b"]
    var prices = ["single": 80]
    var opened: Date?
    var note: String?

    init(_ name: String, id: String? = nil) {
        self.name = name
        self.id = id
    }

    static func == (left: Hotel, right: Hotel) -> Bool {
        left.name == right.name && left.stars == right.stars && left.rating == right.rating && left.share == right.share
            && left.isOpen == right.isOpen && left.kind == right.kind && left.address == right.address
            && left.tags == right.tags && left.prices == right.prices && left.opened == right.opened
            && left.note == right.note
    }
}

/// A model with one property of any type.
final class Box<Value: Codable>: Codable {
    @DocumentID var id: String?
    var value: Value

    init(_ value: Value, id: String? = nil) {
        self.value = value
        self.id = id
    }

    private enum CodingKeys: String, CodingKey { case id, value }
}

/// A model that encodes itself with a closure of the test.
final class Custom: Encodable {
    @DocumentID var id: String?
    let encode: (any Encoder) throws -> Void

    init(_ encode: @escaping (any Encoder) throws -> Void) { self.encode = encode }

    func encode(to encoder: any Encoder) throws { try encode(encoder) }
}

/// A model that decodes itself with a closure of the test.
final class Reading: Decodable {
    @DocumentID var id: String?
    @TaskLocal static var read: @Sendable (any Decoder) throws -> Void = { _ in }

    init(from decoder: any Decoder) throws { try Self.read(decoder) }
}

/// Keys that are made from any text.
struct AnyKey: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { return nil }
}

/// Domain, code and message of the error that `body` throws; nil if it throws none.
func message(_ body: () throws -> Void) -> (code: ErrorCode, text: String)? {
    do {
        try body()
        return nil
    } catch let error as NSError {
        return (ErrorCode(domain: error.domain, code: error.code), error.localizedDescription)
    }
}

extension ErrorCode {
    static let encoding = couchbaseLite(CBLError.encodingError)
    static let decoding = couchbaseLite(CBLError.decodingError)
    static let invalidQuery = couchbaseLite(CBLError.invalidQuery)
}
