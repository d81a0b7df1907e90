import QueryLanguage

/// Finds what a user may have meant by a name that does not exist.
enum Suggestion {
    /// Returns the name with the fewest differences from `typed`, whatever the case of the letters; `nil` if all of them differ too much.
    static func nearest(to typed: String, among names: [String]) -> String? {
        let lower = names.map { $0.lowercased() }
        return typed.lowercased().nearest(in: lower).flatMap { lower.firstIndex(of: $0) }.map { names[$0] }
    }

    /// Returns the question with the nearest name; `nil` if there is none.
    static func question(_ typed: String, among names: [String]) -> String? {
        nearest(to: typed, among: names).map { "Did you mean '\($0)'?" }
    }
}
