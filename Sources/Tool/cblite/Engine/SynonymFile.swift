import Foundation

/// A file with the synonyms of a full-text index: each line is a group of words and phrases, separated by commas.
struct SynonymFile {
    let groups: [[String]]

    /// The largest file that is read. An index allows less.
    private static let maximumSize = 4 << 20

    /// - Throws: ``Failure`` if the file cannot be read, or a line has fewer than two entries.
    init(path: String) throws {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: Self.maximumSize + 1) ?? Data() else {
            throw Failure(.notFound, "the file with synonyms cannot be read: \(path)")
        }
        guard data.count <= Self.maximumSize else { throw Failure(.badData, "the file with synonyms has more than 4 MiB: \(path)") }
        guard let text = String(data: data, encoding: .utf8) else {
            throw Failure(.badData, "the file with synonyms is not in UTF-8: \(path)")
        }
        var groups: [[String]] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let entries = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            guard entries.count > 1 else {
                throw Failure(
                    .badData,
                    "line \(number + 1) of \(path) has one word only: \(line)",
                    hint: "Write the words with the same meaning in one line, separated by commas."
                )
            }
            groups.append(entries)
        }
        self.groups = groups
    }
}
