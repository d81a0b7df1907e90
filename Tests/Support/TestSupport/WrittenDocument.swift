/// A document that the tests' writer process saves and the tests check afterwards. Its content is derived from its number.
package enum WrittenDocument: Equatable, Sendable {
    /// A document saved individually.
    case single(Int)
    /// One of `of` documents saved in one batch.
    case member(Int, of: Int, batch: Int)

    package var id: String {
        switch self {
        case .single(let number): "single-\(number)"
        case .member(let member, _, let batch): "batch-\(batch)-\(member)"
        }
    }

    /// A text that differs for each document, from empty to several pages of the database file.
    package var text: String {
        let number =
            switch self {
            case .single(let number): number
            case .member(let member, _, let batch): batch &* 31 &+ member
            }
        return String(repeating: "<\(id)>", count: number % 97 == 0 ? 1000 : number % 7)
    }

    /// A property name that changes every 20 numbers, so that the list of shared keys grows.
    package var key: String {
        switch self {
        case .single(let number): "key\(number / 20)"
        case .member(_, _, let batch): "key\(batch / 20)"
        }
    }
}
