/// An error in a delta, or a mismatch of a delta and the value to which it is applied, with its location (Storage format 10).
public struct DeltaError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong at the location.
    public enum Reason: Equatable, Sendable {
        /// An array that is not a valid replacement, deletion or text edit.
        case badForm
        /// A deletion of a value that does not exist, or of the root.
        case nothingToDelete
        /// Changes to the members of a value that is neither an object nor an array, or does not exist.
        case nothingToChange
        /// A key that is not a valid index of the old array, or is in the part that the delta itself replaces.
        case badIndex
        /// The new end of an array that is not an array.
        case badRest
        /// A text edit of a value that is not a string.
        case notText
        /// A text edit that is malformed, does not match the old text, or splits a character.
        case badTextEdit
        /// A delta or a value that is nested more deeply than ``Limits/maximumDepth``.
        case tooDeep
        /// The old value, the new value or the delta cannot be read or written.
        case damaged(FleeceError.Reason)
    }

    /// What is wrong at the location.
    public let reason: Reason
    /// The keys and indexes from the root to the location. Empty for the root itself.
    public private(set) var path: [String]

    init(_ reason: Reason) {
        self.reason = reason
        path = []
    }

    /// Returns the error with `member` prepended to its path.
    func inside(_ member: String) -> DeltaError {
        var outer = self
        outer.path.insert(member, at: 0)
        return outer
    }

    public var description: String {
        let place = path.isEmpty ? "the root" : path.joined(separator: ".")
        return "Delta: \(what) at \(place)"
    }

    private var what: String {
        switch reason {
        case .badForm: "an array that is not a valid change"
        case .nothingToDelete: "nothing to delete"
        case .nothingToChange: "no object or array to change"
        case .badIndex: "not a valid index of the old array"
        case .badRest: "the new end of an array is not an array"
        case .notText: "a text edit of a value that is not a string"
        case .badTextEdit: "a text edit that does not match the old text"
        case .tooDeep: "nested deeper than \(Limits.maximumDepth) levels"
        case .damaged(let reason): FleeceError(reason).description
        }
    }
}
