import CouchbaseLiteSwift
import TestSupport
import Testing

/// Predicates are evaluated by Foundation on the objects and by the database on their documents.
@Suite("Predicates evaluated in Swift and in the database")
struct PredicateEvaluationTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let text: String
        let predicate: Predicate<Guest>

        init(_ text: String, _ predicate: Predicate<Guest>) {
            self.text = text
            self.predicate = predicate
        }

        var testDescription: String { text }
    }

    private func check(_ cases: [Case]) throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let test = try TestDatabase()
        let collection = try test.database.createCollection(name: "guests")
        var guests: [Guest] = []
        try test.database.inBatch {
            for _ in 0..<150 {
                let guest = Guest(&generator)
                try collection.save(from: guest)
                guests.append(guest)
            }
        }
        for item in cases {
            let wanted = try guests.filter { try item.predicate.evaluate($0) }.compactMap(\.id).sorted()
            let query = collection.models(Guest.self).query(where: item.predicate)
            let found = try query.all().compactMap(\.id).sorted()
            #expect(found == wanted, "\(item.text), seed \(seed): \(query.query)")
            #expect(try query.count() == wanted.count)
            #expect(!wanted.isEmpty && wanted.count < guests.count, "\(item.text) tells nothing apart, seed \(seed)")
        }
    }

    @Test("comparisons and logic of predicates match the same objects in Swift and in the database")
    func comparisons() throws {
        let (word, number, half) = ("ab", 17, 2.25)
        try check([
            Case("==", #Predicate { $0.name == word }),
            Case("!=", #Predicate { $0.name != "ab" }),
            Case("<", #Predicate { $0.age < number }),
            Case("<=", #Predicate { $0.age <= 17 }),
            Case(">", #Predicate { $0.balance > 1.0 }),
            Case(">=", #Predicate { $0.balance >= 1.0 }),
            Case("string <", #Predicate { $0.name < "b" }),
            Case("&&", #Predicate { $0.age > 0 && $0.isMember && $0.balance < 3.0 }),
            Case("||", #Predicate { $0.age > 20 || $0.isMember || $0.name == "a" }),
            Case("!", #Predicate { !$0.isMember && !($0.age == 18) }),
            Case("bool ==", #Predicate { $0.isMember == false }),
            Case("condition == bool", #Predicate { ($0.age > 1) == $0.isMember }),
            Case("properties", #Predicate { $0.name == $0.tags.first ?? "none" || $0.age > 20 }),
            Case("?:", #Predicate { $0.isMember ? $0.age > 1 : $0.balance > 1.0 }),
            Case("value ?:", #Predicate { ($0.isMember ? $0.age : 18) == 18 }),
            Case("closed range", #Predicate { (1...17).contains($0.age) }),
            Case("range", #Predicate { (1..<17).contains($0.age) }),
            Case("contains !", #Predicate { [true, false].contains(!$0.isMember) && $0.age > 1 }),
            Case("contains == nil", #Predicate { [true, false].contains($0.nickname == nil) && $0.age > 1 }),
            Case("negated range", #Predicate { !(0...17).contains($0.age) }),
            Case("optional !=", #Predicate { $0.rating != half }),
        ])
        let (closed, open, from, through) = (1...17, 1.0..<7.75, 17..., ...1)
        try check([
            Case("captured closed range", #Predicate { closed.contains($0.age) }),
            Case("captured range", #Predicate { open.contains($0.balance) }),
            Case("captured range from", #Predicate { from.contains($0.age) }),
            Case("captured range through", #Predicate { through.contains($0.age) }),
        ])
    }

    @Test("optionals in predicates match the same objects in Swift and in the database")
    func optionals() throws {
        let nobody: String? = nil
        let word: String? = "ab"
        try check([
            Case("== nil", #Predicate { $0.nickname == nil }),
            Case("!= nil", #Predicate { $0.nickname != nil }),
            Case("captured nil", #Predicate { $0.nickname == nobody }),
            Case("captured optional", #Predicate { $0.nickname == word }),
            Case("!(==)", #Predicate { !($0.nickname == "ab") }),
            Case("!=", #Predicate { $0.nickname != "ab" }),
            Case("both optional", #Predicate { $0.nickname == $0.address?.city }),
            Case("both optional, negated", #Predicate { $0.nickname != $0.address?.city }),
            Case("??", #Predicate { ($0.rating ?? 40) > 1 }),
            Case("?? of properties", #Predicate { ($0.nickname ?? $0.name) == "a" }),
            Case("?.", #Predicate { $0.address?.city == "ab" }),
            Case("?.?", #Predicate { $0.address?.zip == 1 }),
            Case("?. == nil", #Predicate { $0.address?.zip == nil }),
            Case("?. != nil", #Predicate { $0.address?.zip != nil }),
            Case("chained call", #Predicate { $0.aliases?.contains("ab") == true }),
            Case("chained call, negated", #Predicate { $0.aliases?.contains("a") != true }),
            Case("chained call is nil", #Predicate { $0.aliases?.isEmpty == nil }),
            Case("chained call ?? false", #Predicate { $0.aliases?.contains("a") ?? false }),
            Case("chained call ?? true", #Predicate { $0.aliases?.contains("a") ?? true }),
            Case("!(chained call ?? false)", #Predicate { !($0.aliases?.contains("a") ?? false) }),
            Case("if let", #Predicate { if let rating = $0.rating { rating > 0 } else { false } }),
            Case("if let, else", #Predicate { if let rating = $0.rating { rating > 1 } else { $0.isMember } }),
            Case("flatMap", #Predicate { $0.nickname.flatMap { $0.isEmpty } == false }),
            Case("!", #Predicate { $0.rating != nil && $0.rating! > 1 }),
        ])
    }

    @Test("strings, dates, enumerations and IDs in predicates match the same objects in Swift and in the database")
    func values() throws {
        let (part, empty, date, kind) = ("%", "", Date(timeIntervalSince1970: 0.25), Guest.Kind.owner)
        let (token, later) = (Guest.tokens[0], Date(timeIntervalSince1970: 2000))
        try check([
            Case("contains", #Predicate { $0.name.contains("b") }),
            Case("contains wildcard", #Predicate { $0.name.contains(part) }),
            Case("contains, negated", #Predicate { !$0.name.contains("b") }),
            Case("contains property", #Predicate { ($0.nickname ?? "zzz").contains($0.name) }),
            Case("contains empty", #Predicate { $0.name.contains(empty) && $0.isMember }),
            Case("starts with", #Predicate { $0.name.starts(with: "b") }),
            Case("starts with wildcard", #Predicate { $0.name.starts(with: "b_") }),
            Case("starts with backslash", #Predicate { $0.name.starts(with: "\\") }),
            Case("starts with property", #Predicate { ($0.nickname ?? "").starts(with: $0.name) }),
            Case("isEmpty", #Predicate { $0.name.isEmpty }),
            Case("count", #Predicate { $0.name.count == 2 }),
            Case("date ==", #Predicate { $0.joined == date }),
            Case("date <", #Predicate { $0.joined < date }),
            Case("date range", #Predicate { (date...later).contains($0.joined) }),
            Case("enum", #Predicate { $0.kind == kind }),
            Case("raw value", #Predicate { $0.kind.rawValue != "owner" }),
            Case("UUID", #Predicate { $0.token == token }),
        ])
    }

    @Test("arithmetic in predicates matches the same objects in Swift and in the database")
    func arithmetic() throws {
        let three = 3
        try check([
            Case("+", #Predicate { $0.age + three == 20 }),
            Case("-", #Predicate { $0.age - 1 > 1 }),
            Case("*", #Predicate { $0.age * 2 == 36 }),
            Case("integer /", #Predicate { $0.age / 2 == 8 }),
            Case("%", #Predicate { $0.age % 2 == 0 }),
            Case("unary -", #Predicate { -$0.age > 0 }),
            Case("floating /", #Predicate { $0.balance / 2.0 == 0.5 }),
            Case("floating *", #Predicate { $0.balance * 2.0 + 1.0 > 3.0 }),
        ])
    }

    @Test("arrays and dictionaries in predicates match the same objects in Swift and in the database")
    func collections() throws {
        let (names, tokens, maybe) = (["a", "b%", "日本"], Set(Guest.tokens), ["ab", nil] as [String?])
        let visit = Guest.Visit(nights: 1, room: nil)
        try check([
            Case("contains", #Predicate { $0.tags.contains("a") }),
            Case("contains, negated", #Predicate { !$0.tags.contains("a") }),
            Case("contains property", #Predicate { $0.tags.contains($0.name) }),
            Case("contains structure", #Predicate { $0.visits.contains(visit) }),
            Case("in captured", #Predicate { names.contains($0.name) }),
            Case("not in captured", #Predicate { !names.contains($0.name) }),
            Case("optional in captured", #Predicate { maybe.contains($0.nickname) }),
            Case("optional not in captured", #Predicate { !maybe.contains($0.nickname) }),
            Case("in captured set", #Predicate { if let token = $0.token { tokens.contains(token) } else { false } }),
            Case("contains where", #Predicate { $0.visits.contains { $0.nights > 2 } }),
            Case("contains where, two", #Predicate { $0.visits.contains { $0.nights > 1 && $0.room == nil } }),
            Case("contains where, outer", #Predicate { guest in guest.scores.contains { $0 == guest.age } }),
            Case(
                "nested",
                #Predicate { guest in
                    guest.tags.contains { tag in guest.visits.contains { ($0.room ?? "none") == tag } }
                }
            ),
            Case("all", #Predicate { $0.scores.allSatisfy { $0 > 0 } }),
            Case("!all", #Predicate { !$0.visits.allSatisfy { $0.room != nil } }),
            Case("count", #Predicate { $0.tags.count > 1 }),
            Case("isEmpty", #Predicate { $0.tags.isEmpty }),
            Case("!isEmpty", #Predicate { !$0.tags.isEmpty }),
            Case("first", #Predicate { $0.tags.first == "a" }),
            Case("first == nil", #Predicate { $0.tags.first == nil }),
            Case("last", #Predicate { $0.scores.last == 3 }),
            Case("index", #Predicate { $0.scores.count > 1 && $0.scores[1] == 2 }),
            Case("max", #Predicate { $0.scores.max() == 3 }),
            Case("min", #Predicate { ($0.scores.min() ?? 9) < 1 }),
            Case("max == nil", #Predicate { $0.scores.max() == nil }),
            Case("key", #Predicate { $0.limits["a"] == 1 }),
            Case("key with a dot", #Predicate { $0.limits["b.c"] == 1 }),
            Case("no key", #Predicate { $0.limits["b.c"] == nil }),
            Case("default", #Predicate { $0.limits["a", default: 2] == 2 }),
            Case("values", #Predicate { $0.limits.values.contains(2) }),
            Case("dictionary count", #Predicate { $0.limits.count == 1 }),
            Case("dictionary isEmpty", #Predicate { $0.limits.isEmpty }),
        ])
    }
}
