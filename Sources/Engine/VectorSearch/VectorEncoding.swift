import Base

/// How the vectors of a trained index are stored (Vector search 9.4).
package enum StoredVectorEncoding: Hashable, Sendable {
    /// All components as they are.
    case none
    /// Each component as an integer of 8, 6 or 4 bits.
    case scalar(bits: Int)
    /// Each vector as the numbers of the nearest of 2^`bits` vectors for each of `subquantizers` parts.
    case product(subquantizers: Int, bits: Int)

    /// The name in the options of a stored index (Vector search FO-2).
    package var name: String {
        switch self {
        case .none: "none"
        case .scalar(let bits): "SQ\(bits)"
        case .product(let subquantizers, let bits): "PQ\(subquantizers)x\(bits)"
        }
    }

    /// Creates the encoding with a stored name, in which case is ignored; `nil` if there is none, or if its numbers are out of range.
    package init?(name: String) {
        let upper = name.asciiUppercased
        switch upper {
        case "NONE": self = .none
        case "SQ8": self = .scalar(bits: 8)
        case "SQ6": self = .scalar(bits: 6)
        case "SQ4": self = .scalar(bits: 4)
        default:
            guard let numbers = upper.rest(afterExactly: "PQ") else { return nil }
            let parts = String(numbers).splitExactly(at: "X")
            guard parts.count == 2, let subquantizers = Int(parts[0]), let bits = Int(parts[1]),
                Self.subquantizerCounts.contains(subquantizers), Self.bitCounts.contains(bits)
            else { return nil }
            self = .product(subquantizers: subquantizers, bits: bits)
        }
    }

    /// Whether a stored vector is so short that the order of near vectors is often another one than that of the vectors themselves.
    package var isCoarse: Bool {
        switch self {
        case .none: false
        case .scalar(let bits): bits < 6
        case .product: true
        }
    }

    /// The permitted numbers of subquantizers (Vector search VC-2).
    package static let subquantizerCounts = 2...1024
    /// The permitted numbers of bits of a product quantizer.
    package static let bitCounts = 4...12

    /// Returns how many bytes the code of a vector has.
    package func codeSize(dimensions: Int) -> Int {
        switch self {
        case .none: dimensions * 4
        case .scalar(let bits): (dimensions * bits + 7) / 8
        case .product(let subquantizers, let bits): (subquantizers * bits + 7) / 8
        }
    }
}
