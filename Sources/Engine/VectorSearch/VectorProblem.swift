/// Why a value is not a vector (Vector search 2). The words are those of Couchbase Lite, because logs are searched for them.
package enum VectorProblem: Error, Hashable, Sendable {
    /// Binary data has no bytes, or no whole number of floats; a text is not base64.
    case wrongLength
    /// The number of components is not that of the index, or less than 2.
    case wrongDimensions
    /// An item of an array is not a number.
    case notNumeric
    /// A component is not a number or infinite.
    case notFinite
    /// The value is neither an array nor a text nor binary data.
    case wrongType

    /// The problem in words.
    package var message: String {
        switch self {
        case .wrongLength: "data is wrong length to be a vector"
        case .wrongDimensions: "vector has wrong number of dimensions"
        case .notNumeric: "array contains a non-numeric value"
        case .notFinite: "vector contains a component that is not a finite number"
        case .wrongType: "value is wrong type to be a vector"
        }
    }
}
