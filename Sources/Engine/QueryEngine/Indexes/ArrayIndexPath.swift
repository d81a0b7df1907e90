import Fleece
import QueryLanguage

/// The path of an array index (Query 7.1): `contacts` is the array of that name in a document, and `contacts[].phones` denotes the arrays
/// `phones` in the elements of `contacts`.
struct ArrayIndexPath: Hashable {
    /// The path of the array in the document, followed by the paths of arrays in the elements. Neither the list nor any path is empty.
    let levels: [PropertyPath]

    /// Parses a path.
    ///
    /// - Throws: ``QueryError`` (`invalidQuery`) if the path is malformed.
    init(_ text: String) throws(QueryError) {
        var levels: [PropertyPath] = []
        for part in try Self.split(text) {
            let path = try PropertyPath(encoded: part)
            guard !path.isEmpty else { throw Self.malformed(text, "a level has no name") }
            levels.append(path)
            guard levels.count <= Limits.maximumDepth else { throw Self.malformed(text, "it has more than \(Limits.maximumDepth) levels") }
        }
        self.levels = levels
    }

    private static func split(_ text: String) throws(QueryError) -> [String] {
        var parts = [""]
        var scalars = text.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            if scalar == "[", scalars.first == "]" {
                scalars.removeFirst()
                guard scalars.popFirst() == "." else {
                    throw malformed(text, "[] must be followed by the path of an array in the elements")
                }
                parts.append("")
                continue
            }
            parts[parts.count - 1].unicodeScalars.append(scalar)
            if scalar == "\\", let escaped = scalars.popFirst() {
                parts[parts.count - 1].unicodeScalars.append(escaped)
            }
        }
        return parts
    }

    private static func malformed(_ text: String, _ reason: String) -> QueryError {
        QueryError.invalidQuery("invalid array path '\(text)': \(reason)")
    }
}
