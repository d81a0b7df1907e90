import QueryEngine
import TestSupport

/// Compares random texts under all Unicode collations, and checks that each is a total order: that of ICU's sort keys.
package struct RandomCollations {
    package struct Outcome: Sendable {
        /// The number of compared pairs of texts.
        package var compared = 0
        /// Descriptions of the first failures.
        package var failures: [String] = []
        /// The number of locales whose collations were used.
        package var locales = 0
    }

    private typealias Compare = (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int

    private var texts: CollatedTextGenerator
    private var outcome = Outcome()

    /// Compares about `count` pairs, the same number for each locale and each of its four collations.
    package static func run(count: Int, seed: UInt64, maximumFailures: Int = 5) -> Outcome {
        var run = RandomCollations(texts: CollatedTextGenerator(random: SeededGenerator(seed: seed)))
        let locales = CollationReference.locales
        run.outcome.locales = locales.count
        let triples = max(count / (locales.count * 4 * 3), 1)
        for locale in locales {
            for marks in ["__", "C_", "_D", "CD"] {
                guard run.outcome.failures.count < maximumFailures else { return run.outcome }
                run.check("LCUnicode_\(marks)_\(locale)", triples)
            }
        }
        return run.outcome
    }

    private mutating func check(_ name: String, _ triples: Int) {
        guard let compare = UnicodeCollation(name: name)?.makeComparison(), let reference = CollationReference(name) else {
            return outcome.failures.append("\(name) cannot be opened")
        }
        for _ in 0..<triples {
            let first = texts.text()
            let second = Bool.random(using: &texts.random) ? texts.variant(of: first) : texts.text()
            let third = Bool.random(using: &texts.random) ? texts.variant(of: second) : texts.text()
            if let failure = Self.failure([first, second, third], compare, reference) {
                return outcome.failures.append("\(name): \(failure)")
            }
            outcome.compared += 3
        }
    }

    private static func failure(_ texts: [[UInt8]], _ compare: Compare, _ reference: CollationReference) -> String? {
        func order(_ left: Int, _ right: Int) -> Int {
            texts[left].withUnsafeBytes { left in texts[right].withUnsafeBytes { compare(left, $0).signum() } }
        }
        func describe(_ indices: Int...) -> String {
            indices.map { "\(String(decoding: texts[$0], as: UTF8.self).debugDescription) \(texts[$0])" }.joined(separator: ", ")
        }
        for index in texts.indices where order(index, index) != 0 { return "not reflexive: \(describe(index))" }
        for (left, right) in [(0, 1), (1, 2), (0, 2)] {
            let found = order(left, right)
            if order(right, left) != -found { return "not antisymmetric: \(describe(left, right))" }
            let wanted = reference.order(texts[left], texts[right])
            if found != wanted { return "\(found) instead of \(wanted): \(describe(left, right))" }
        }
        for (low, middle, high) in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)] {
            let steps = (order(low, middle), order(middle, high))
            if steps.0 <= 0, steps.1 <= 0, order(low, high) != min(steps.0, steps.1) {
                return "not transitive: \(describe(low, middle, high))"
            }
        }
        return nil
    }
}
