/// Finds what a user may have meant by a name that does not exist.
enum Suggestion {
    /// Returns the name with the fewest differences from `typed`; `nil` if all of them differ too much.
    static func nearest(to typed: String, among names: [String]) -> String? {
        let typed = Array(typed.lowercased())
        let limit = max(1, min(3, typed.count / 3))
        let found = names.map { (name: $0, distance: distance(typed, Array($0.lowercased()))) }.min { $0.distance < $1.distance }
        return found.flatMap { $0.distance <= limit ? $0.name : nil }
    }

    /// Returns the question with the nearest name; `nil` if there is none.
    static func question(_ typed: String, among names: [String]) -> String? {
        nearest(to: typed, among: names).map { "Did you mean '\($0)'?" }
    }

    /// The number of characters to insert, delete, replace or exchange with their neighbours.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var rows = [Array(0...right.count)]
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { best = min(best, rows[i - 1][j - 1] + 1) }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
