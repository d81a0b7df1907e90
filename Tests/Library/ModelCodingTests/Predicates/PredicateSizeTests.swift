import Foundation
import QueryLanguage
import Testing

@Suite("Sizes of translated predicates")
struct PredicateSizeTests {
    private struct Model: Decodable {
        var number: Int?
    }

    /// Returns an expression in which each of several nested `flatMap`s uses its variable twice.
    private static func doubled<Inner: StandardPredicateExpression>(
        _ inner: Inner,
        times: Int
    ) -> any StandardPredicateExpression<Bool> where Inner.Output == Int? {
        guard times > 0 else { return PredicateExpressions.Equal(lhs: inner, rhs: PredicateExpressions.Value<Int?>(1)) }
        let outer = PredicateExpressions.OptionalFlatMap(inner) { PredicateExpressions.Arithmetic(lhs: $0, rhs: $0, op: .add) }
        return doubled(outer, times: times - 1)
    }

    private func predicate(times: Int) -> Predicate<Model> {
        Predicate<Model> { Self.doubled(PredicateExpressions.KeyPath(root: $0, keyPath: \.number), times: times) }
    }

    @Test("a chain of optionals whose condition would be very large is refused, and a short one is not")
    func chains() throws {
        _ = try SelectStatement(where: predicate(times: 5))
        for times in [12, 30] {
            let error = #expect(throws: QueryError.self) { try SelectStatement(where: predicate(times: times)) }
            #expect(error?.kind == .invalidQuery && error?.message.contains("it is too large") == true)
        }
    }

    @Test("constants of any size are no parts of a condition")
    func constants() throws {
        let numbers = Array(0..<20_000)
        _ = try SelectStatement(where: #Predicate<Model> { numbers.contains($0.number ?? 0) })
    }
}
