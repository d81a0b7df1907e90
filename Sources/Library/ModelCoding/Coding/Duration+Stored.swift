import Fleece
import Foundation

extension Duration {
    /// A number of seconds below which all can be converted.
    private static let convertible = 0x1p63

    /// The exact number of seconds. `components` traps for durations beyond 64 bits.
    private var seconds: Decimal { Decimal(string: "\(attoseconds)e-\(Self.fractionDigits)") ?? .nan }

    private static let fractionDigits = 18

    /// Creates the duration of a number of seconds, rounded to attoseconds; `nil` if it is out of range.
    private init?(seconds: Decimal) {
        var (seconds, scaled, rounded) = (seconds, Decimal(), Decimal())
        guard NSDecimalMultiplyByPowerOf10(&scaled, &seconds, Int16(Self.fractionDigits), .plain) == .noError else { return nil }
        NSDecimalRound(&rounded, &scaled, 0, .plain)
        guard let attoseconds = Int128(rounded.digits) else { return nil }
        self.init(attoseconds: attoseconds)
    }
}

extension Duration: AdaptedScalar {
    /// The number of seconds, or its digits as text if no number of a document has them; see ``Decimal/stored``.
    var adapted: ScalarValue {
        seconds.stored(ifMadeBy: { abs($0) < Self.convertible ? Duration.seconds($0).seconds : .nan }) ?? .double(.nan)
    }

    init?(adapted value: Value) {
        guard let seconds = Decimal(adapted: value) else { return nil }
        self.init(seconds: seconds)
    }

    /// The halves of the number of attoseconds, as which `Duration` encodes itself. Queries do not compare arrays by their numbers.
    init(former decoder: ValueDecoder) throws { try self.init(from: decoder) }

    static var expected: String { "a number of seconds" }
    static var readsNumbers: Bool { true }
}
