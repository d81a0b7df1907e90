import Foundation
import TestSupport
import Testing

@testable import QueryEngine

@Suite("Numbers in texts")
struct NumberTextTests {
    /// The number in a text as a double; `nil` if it spells a NaN.
    private func double(_ text: String) -> Double? {
        switch Array(text.utf8).withUnsafeBytes({ NumberText($0) }) {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .notANumber: nil
        }
    }

    @Test(
        "a text is converted by its longest numeric prefix, with a point as the decimal sign",
        arguments: [
            ("1.5", 1.5), ("1,5", 1), (" .5x ", 0.5), ("5.", 5), ("-2.5e-1e", -0.25), ("1e+", 1), ("1E2", 100), ("0x10", 16),
            ("0x1.8P1", 3), ("0x.", 0), ("0xg", 0), ("12abc", 12), ("e5", 0), ("-", 0), ("+.", 0), ("", 0), ("+inFinity", .infinity),
            ("-infinit", -.infinity), ("1e999", .infinity), ("1\u{0}2", 1), ("nano", nil), ("-NaN(1)", nil),
        ] as [(String, Double?)]
    )
    func forms(text: String, expected: Double?) {
        #expect(double(text) == expected)
    }

    @Test("random texts are read as strtod reads them in the locale of C")
    func random() {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        let characters = Array("0123456789....eExXpP++--infaIN ,_\n")
        for _ in 0..<3000 {
            let text = String(
                (0..<Int.random(in: 0...10, using: &generator)).compactMap { _ in characters.randomElement(using: &generator) }
            )
            let expected = strtod(text, nil)
            #expect(double(text) == (expected.isNaN ? nil : expected), "\(text)")
        }
    }
}
