import Foundation

/// Inputs found by fuzzing, each of which covers code that no other input covers. `Tests/Data/Corpus` has one file for each kind of
/// input, with one base64-encoded input per line. Tests use them unchanged, and mutate them at random.
package enum Corpus {
    package struct Input: Sendable {
        /// The file name and line number.
        package let name: String
        package let bytes: [UInt8]
    }

    /// Returns the inputs of a kind.
    ///
    /// - Throws: `CocoaError` if the file does not exist, cannot be read, or contains invalid base64.
    package static func inputs(_ kind: String) throws -> [Input] {
        let url = Fixtures.packageRoot.appendingPathComponent("Tests/Data/Corpus/\(kind).base64")
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        return try zip(1..., lines).map { number, line in
            guard let data = Data(base64Encoded: String(line)) else { throw CocoaError(.fileReadCorruptFile) }
            return Input(name: "\(kind).base64:\(number)", bytes: Array(data))
        }
    }

    /// Returns the inputs of a kind for mutation; an empty array if the corpus is missing, for example because the program was moved.
    package static func material(_ kind: String) -> [[UInt8]] {
        ((try? inputs(kind)) ?? []).map(\.bytes)
    }
}
