/// A document that the tests' writer process saves and the tests look for afterwards: its content follows from its number.
package enum WrittenDocument: Equatable, Sendable {
    /// A document saved by itself.
    case single(Int)
    /// One of `of` documents that were saved in one batch.
    case member(Int, of: Int, batch: Int)

    package var id: String {
        switch self {
        case .single(let number): "single-\(number)"
        case .member(let member, _, let batch): "batch-\(batch)-\(member)"
        }
    }

    /// Text that is a different one for every document, of lengths from nothing to several pages of the file.
    package var text: String {
        let number =
            switch self {
            case .single(let number): number
            case .member(let member, _, let batch): batch &* 31 &+ member
            }
        return String(repeating: "<\(id)>", count: number % 97 == 0 ? 1000 : number % 7)
    }

    /// A property name that is new now and then, so that the list of shared keys grows.
    package var key: String {
        switch self {
        case .single(let number): "key\(number / 20)"
        case .member(_, _, let batch): "key\(batch / 20)"
        }
    }
}
