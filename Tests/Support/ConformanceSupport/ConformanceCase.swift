package import Fleece
package import Foundation
import TestSupport

/// A row of the conformance file, to be run completely (Query 10).
package struct ConformanceCase: Sendable, CustomStringConvertible {
    package let name: String
    /// The row, a dictionary.
    package let row: FleeceData

    package var description: String { name }

    private static let otherFile = ProcessInfo.processInfo.environment["QUERY_CONFORMANCE"]

    /// The files with the rows; the environment variable `QUERY_CONFORMANCE` names another one.
    package static let files: [URL] =
        otherFile.map { [URL(fileURLWithPath: $0)] }
        ?? ["query-conformance.json", "query-conformance-more.json"].map {
            Fixtures.directory.appendingPathComponent($0)
        }

    /// Whether the rows are those of the specification, whose number is known.
    package static let isSpecification = otherFile == nil

    /// All rows; empty if the file does not exist.
    package static let all: [ConformanceCase] = files.flatMap(rows)

    /// The rows about statements that change documents.
    package static let statements: [ConformanceCase] = rows(of: Fixtures.directory.appendingPathComponent("statement-conformance.json"))

    private static func rows(of file: URL) -> [ConformanceCase] {
        guard let bytes = try? Data(contentsOf: file),
            let rows = try? bytes.withUnsafeBytes({ try JSON.fleece($0) })
        else { return [] }
        return rows.withRoot { root in
            guard let array = root.array else { return [] }
            return (0..<array.count).compactMap { index in
                guard let row = array[index], let name = row["name"]?.string else { return nil }
                var encoder = Encoder()
                encoder.write(row, keys: .same)
                return (try? encoder.finishedData()).map { ConformanceCase(name: name, row: $0) }
            }
        } ?? []
    }

    /// Rows with a deliberate deviation: `NOT meta().deleted` negates the flag (Query A12), `--` begins a comment (Query 2.1), and a letter
    /// with a combining accent is equal to the one character for both (Query 3.5).
    private static let deviations: Set<String> = ["deleted-07", "syntax-16", "more-coll-decomposed"]

    /// Rows that the original rejects for its own reasons, and this library accepts (Query 2.7, A8, A11, A17), or
    /// because its language has no comments (Query 2.1) and no DISTINCT in aggregates (Query 3.14), or because there titles of columns hide
    /// properties (Query 1.4).
    private static let acceptedNames: Set<String> = ["syntax-13", "syntax-15", "agg-12", "index-partial-2", "more-alias-in-what"]

    /// The rows that are run.
    package static let toRun = all.filter {
        !deviations.contains($0.name) && !acceptedNames.contains($0.name)
    }

    /// The rows that must fail according to the file, and that succeed here.
    package static let accepted = all.filter { acceptedNames.contains($0.name) }
}

extension Value {
    package subscript(key: String) -> Value? { dictionary?.value(for: key) }

    /// The elements of an array; empty for any other value.
    package var items: [Value] { array.map { array in (0..<array.count).compactMap { array[$0] } } ?? [] }

    /// The keys and values of a dictionary; empty for any other value.
    package var entries: [(String, Value)] {
        dictionary.map { $0.pairs.map { ($0.key.text(.empty) ?? "", $0.value) } } ?? []
    }

    /// Whether this is the same JSON value, numbers compared by value with some tolerance.
    package func matches(_ other: Value) -> Bool {
        guard type == other.type else { return false }
        switch type {
        case .number:
            guard let left = double, let right = other.double else { return false }
            return left == right || abs(left - right) <= 1e-12 * max(abs(left), abs(right))
        case .array:
            return items.count == other.items.count && zip(items, other.items).allSatisfy { $0.matches($1) }
        case .dictionary:
            return entries.count == other.entries.count
                && entries.allSatisfy { key, value in other[key].map { value.matches($0) } ?? false }
        default:
            return (try? JSON.string(self)) == (try? JSON.string(other))
        }
    }
}
