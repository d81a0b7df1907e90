import DocumentStore
import QueryEngine
import TestSupport
import Testing

/// Random conditions on the outputs of a model, with the rows that a computation in Swift gives, without and with predictive indexes (Vector search
/// PI-6, T-18).
@Suite("Random predictions")
struct RandomPredictionTests {
    private struct Document {
        let id: String
        let numbers: [Int]?
        let n: Int?

        init(_ id: String, _ random: inout SeededGenerator) {
            self.id = id
            // The model has no output for an empty array, and for documents without an array.
            numbers =
                Bool.random(using: &random) || Bool.random(using: &random)
                ? (0..<Int.random(in: 0...4, using: &random)).map { _ in Int.random(in: 0..<15, using: &random) } : nil
            n = Bool.random(using: &random) ? Int.random(in: 0..<20, using: &random) : nil
        }

        var json: String {
            let members = [numbers.map { #""numbers":\#($0)"# }, n.map { #""n":\#($0)"# }]
            return "{\(members.compactMap(\.self).joined(separator: ","))}"
        }

        /// The input of the model if it has an output.
        var input: [Int]? { numbers.flatMap { $0.isEmpty ? nil : $0 } }

        var isLarge: Bool? { input.map { $0.reduce(0, +) > 20 } }

        func value(of property: String) -> Int? {
            switch property {
            case "n": n
            case "P.sum": input?.reduce(0, +)
            case "P.min": input?.min()
            default: input?.max()
            }
        }

        /// The row of the queries.
        var row: String {
            "\"\(id)\" \(value(of: "P.sum").map(String.init) ?? "-") \(isLarge.map(String.init) ?? "-") \(n.map(String.init) ?? "-")"
        }
    }

    /// A condition, which is true, false, or neither for a document.
    private indirect enum Condition {
        case comparison(String, String, Int)
        case range(String, Int, Int)
        case isLarge
        case isValued(String)
        case isMissing(String)
        case not(Condition)
        case both(Condition, Condition)
        case either(Condition, Condition)

        static func random(depth: Int, _ random: inout SeededGenerator) -> Condition {
            func property() -> String { ["n", "P.sum", "P.sum", "P.min", "P.max"].randomElement(using: &random) ?? "n" }
            switch Int.random(in: 0..<(depth == 0 ? 6 : 10), using: &random) {
            case 0, 1:
                let operation = ["=", "!=", "<", "<=", ">", ">="].randomElement(using: &random) ?? "="
                return .comparison(property(), operation, Int.random(in: 0..<30, using: &random))
            case 2: return .range(property(), Int.random(in: 0..<15, using: &random), Int.random(in: 10..<40, using: &random))
            case 3: return .isLarge
            case 4: return .isValued(property())
            case 5: return .isMissing(property())
            case 6: return .not(.random(depth: depth - 1, &random))
            case 7: return .both(.random(depth: depth - 1, &random), .random(depth: depth - 1, &random))
            default: return .either(.random(depth: depth - 1, &random), .random(depth: depth - 1, &random))
            }
        }

        /// The condition in SQL++, in which `P` stands for the call of the model.
        var text: String {
            switch self {
            case .comparison(let property, let operation, let number): "\(property) \(operation) \(number)"
            case .range(let property, let least, let most): "\(property) BETWEEN \(least) AND \(most)"
            case .isLarge: "P.isLarge"
            case .isValued(let property): "\(property) IS VALUED"
            case .isMissing(let property): "\(property) IS MISSING"
            case .not(let condition): "NOT (\(condition.text))"
            case .both(let left, let right): "(\(left.text)) AND (\(right.text))"
            case .either(let left, let right): "(\(left.text)) OR (\(right.text))"
            }
        }

        func value(for document: Document) -> Bool? {
            switch self {
            case .comparison(let property, let operation, let number):
                document.value(of: property).map { value in
                    switch operation {
                    case "=": value == number
                    case "!=": value != number
                    case "<": value < number
                    case "<=": value <= number
                    case ">": value > number
                    default: value >= number
                    }
                }
            case .range(let property, let least, let most): document.value(of: property).map { least <= $0 && $0 <= most }
            case .isLarge: document.isLarge
            case .isValued(let property): document.value(of: property) != nil
            case .isMissing(let property): document.value(of: property) == nil
            case .not(let condition): condition.value(for: document).map { !$0 }
            case .both(let left, let right): Self.conjunction(left.value(for: document), right.value(for: document))
            case .either(let left, let right):
                Self.conjunction(left.value(for: document).map { !$0 }, right.value(for: document).map { !$0 }).map { !$0 }
            }
        }

        private static func conjunction(_ left: Bool?, _ right: Bool?) -> Bool? {
            if left == false || right == false { return false }
            return left == true && right == true ? true : nil
        }
    }

    @Test("queries give the same rows without and with predictive indexes, also after changes of documents")
    func sameRows() throws {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        let model = TestModel.statistics()
        let database = try QueryDatabase()
        var documents: [String: Document] = [:]
        func save(_ id: String) throws {
            let document = Document(id, &random)
            try database.save(id, document.json)
            documents[id] = document
        }
        let conditions = (0..<40).map { _ in Condition.random(depth: 3, &random) }
        var (found, all) = (0, 0)
        func check(_ hint: String) throws {
            for condition in conditions {
                let text = "SELECT meta().id, P.sum, P.isLarge, n FROM _ WHERE \(condition.text) ORDER BY meta().id"
                let wanted = documents.values.filter { condition.value(for: $0) == true }.map(\.row).sorted()
                let rows = try database.rows(text.replacing("P.", with: "PREDICTION(\(model.name), {'numbers': numbers})."))
                #expect(rows.sorted() == wanted, "seed \(seed), \(hint): \(condition.text)")
                (found, all) = (found + wanted.count, all + documents.count)
            }
        }
        try database.file.transaction { _ in for number in 0..<30 { try save("d\(number)") } }
        try check("no index")
        try database.createPredictiveIndex("outputs", model)
        try check("outputs")
        try database.createPredictiveIndex("sum", model, "sum")
        try database.createPredictiveIndex("both", model, "max", "sum")
        for number in 20..<40 { try save("d\(number)") }
        for number in 5..<10 {
            try database.delete("d\(number)")
            documents["d\(number)"] = nil
        }
        let count = model.count
        try check("indexes")
        #expect(model.count == count, "seed \(seed)")
        // Conditions that all or no documents satisfy would show nothing.
        #expect(found > all / 20 && found < all - all / 20, "seed \(seed)")
    }
}
