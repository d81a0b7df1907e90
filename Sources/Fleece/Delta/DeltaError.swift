/// Why a delta does not fit what it is applied to, or is no delta, and where (Storage format 10).
package struct DeltaError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Reason: Equatable, Sendable {
        /// An array that is none of the forms of replacement, deletion and text edit.
        case badForm
        /// A deletion of something that is not there, or of the root.
        case nothingToDelete
        /// Changes to the members of something that is neither object nor array, or not there.
        case nothingToChange
        /// A key that is no index of the old array, or one that the delta itself makes void.
        case badIndex
        /// The new end of an array is not given as an array.
        case badRest
        /// A text edit of something that is no string.
        case notText
        /// A text edit that is malformed, does not fit the old text, or cuts a character.
        case badTextEdit
        /// More levels than ``Limits/maximumDepth``.
        case tooDeep
        /// The old value, the new value or the delta cannot be read or written.
        case damaged(FleeceError.Reason)
    }

    package let reason: Reason
    /// The keys and indexes that lead to the place, from the root; empty for the root itself.
    package private(set) var path: [String]

    init(_ reason: Reason) {
        self.reason = reason
        path = []
    }

    /// The same error seen from one level further up.
    func inside(_ member: String) -> DeltaError {
        var outer = self
        outer.path.insert(member, at: 0)
        return outer
    }

    package var description: String {
        let place = path.isEmpty ? "the root" : path.joined(separator: ".")
        return "Delta: \(what) at \(place)"
    }

    private var what: String {
        switch reason {
        case .badForm: "an array that is no form of change"
        case .nothingToDelete: "nothing that could be deleted"
        case .nothingToChange: "no object or array that could be changed"
        case .badIndex: "no index of the old array"
        case .badRest: "the end of an array is not given as an array"
        case .notText: "a text edit of something else"
        case .badTextEdit: "a text edit that does not fit"
        case .tooDeep: "nested deeper than \(Limits.maximumDepth) levels"
        case .damaged(let reason): FleeceError(reason).description
        }
    }
}
