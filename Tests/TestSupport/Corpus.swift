import Foundation

/// Inputs that fuzzing has come upon, each of which leads through code that no other does: `Tests/Corpus`, a file for each kind of
/// input, with one input a line in base 64. They are read as they are, and altered at random.
package enum Corpus {
    package struct Input: Sendable {
        /// The file and the line.
        package let name: String
        package let bytes: [UInt8]
    }

    /// The inputs of a kind.
    ///
    /// - Throws: an error of the file system, also when there is no such kind.
    package static func inputs(_ kind: String) throws -> [Input] {
        let url = Fixtures.packageRoot.appendingPathComponent("Tests/Corpus/\(kind).base64")
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        return try zip(1..., lines).map { number, line in
            guard let data = Data(base64Encoded: String(line)) else { throw CocoaError(.fileReadCorruptFile) }
            return Input(name: "\(kind).base64:\(number)", bytes: Array(data))
        }
    }

    /// What there is to alter: nothing where the corpus is not there, say for a program that has been moved.
    package static func material(_ kind: String) -> [[UInt8]] {
        ((try? inputs(kind)) ?? []).map(\.bytes)
    }
}
