import CouchbaseLiteSwift
import TestSupport

/// A model with properties of every kind that predicates support.
final class Guest: Codable {
    @DocumentID var id: String?
    var name = ""
    var nickname: String?
    var age = 0
    var rating: Double?
    var balance = 0.0
    var isMember = false
    var joined = Date(timeIntervalSince1970: 0)
    var kind = Kind.visitor
    var token: UUID?
    var tags: [String] = []
    var scores: [Int] = []
    var aliases: [String]?
    var address: Address?
    var visits: [Visit] = []
    var limits: [String: Int] = [:]

    enum Kind: String, Codable, CaseIterable {
        case visitor, regular, owner
    }

    struct Address: Codable, Equatable {
        var city: String
        var zip: Int?

        enum CodingKeys: String, CodingKey {
            case city = "town"
            case zip
        }
    }

    struct Visit: Codable, Equatable {
        var nights: Int
        var room: String?
    }

    enum CodingKeys: String, CodingKey {
        case id, name, nickname, age, rating, balance, kind, token, tags, scores, aliases, address, visits, limits
        case isMember = "member"
        case joined = "since"
    }

    init() {}

    /// A guest whose properties have few possible values, so that conditions match some of many guests.
    init(_ generator: inout SeededGenerator) {
        func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &generator)] }
        func some<T>(_ make: () -> T) -> T? { Bool.random(using: &generator) ? make() : nil }
        func many<T>(_ make: () -> T) -> [T] { (0..<Int.random(in: 0...3, using: &generator)).map { _ in make() } }
        let words = ["", "a", "ab", "Ab", "b%", "b_c", "ba", "é", "日本", "\\x"]
        name = pick(words)
        nickname = some { pick(words) }
        age = pick([-3, 0, 1, 2, 17, 18, 40])
        rating = some { pick([-1.5, 0, 1, 2.25, 40]) }
        balance = pick([-2.5, 0, 1, 3, 7.75])
        isMember = Bool.random(using: &generator)
        joined = Date(timeIntervalSince1970: pick([0, 0.25, 1000, -5000, 1_600_000_000.5]))
        kind = pick(Kind.allCases)
        token = some { pick(Self.tokens) }
        tags = many { pick(words) }
        scores = many { pick([0, 1, 2, 3]) }
        aliases = some { many { pick(words) } }
        address = some { Address(city: pick(words), zip: some { pick([1, 2, 3]) }) }
        visits = many { Visit(nights: pick([1, 2, 3]), room: some { pick(words) }) }
        if Bool.random(using: &generator) { limits["a"] = pick([1, 2]) }
        if Bool.random(using: &generator) { limits["b.c"] = pick([1, 2]) }
    }

    static let tokens = [1, 2].map { UUID(uuid: ($0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}
