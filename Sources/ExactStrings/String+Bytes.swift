#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension String {
    /// Whether both have the same bytes. Strings that merely look the same are equal to `==` and not to this.
    package func isExactly(_ other: String) -> Bool {
        Self.withBytes(self, other) { left, right in
            guard left.count == right.count else { return false }
            // Without bytes there may be no address.
            guard let left = left.baseAddress, let start = right.baseAddress, right.count > 0 else { return true }
            return memcmp(left, start, right.count) == 0
        }
    }

    /// Whether both have the same bytes; nothing is the same as no string.
    package func isExactly(_ other: String?) -> Bool {
        guard let other else { return false }
        return isExactly(other)
    }

    /// Whether the bytes sort before those of the other; a text comes before what continues it.
    package func isOrderedBefore(_ other: String) -> Bool {
        Self.withBytes(self, other) { left, right in
            let shared = min(left.count, right.count)
            guard shared > 0, let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return left.count < right.count }
            let order = memcmp(leftStart, rightStart, shared)
            return order == 0 ? left.count < right.count : order < 0
        }
    }

    /// The text with every mark in it written twice, as quoted names and texts of SQL have it. A mark with an accent after it counts too:
    /// to Swift that is another character, and to a parser of bytes it ends the quotation.
    package func doubling(_ mark: Unicode.Scalar) -> String {
        guard unicodeScalars.contains(mark) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar == mark { result.append(mark) }
            result.append(scalar)
        }
        return String(result)
    }

    /// Whether both have the same bytes, in a time that depends on the length of `guess` only: how long it takes tells nobody how much
    /// of a secret has been guessed. For passwords.
    package func isSecretEqual(toGuess guess: String) -> Bool {
        Self.withBytes(self, guess) { secret, guess in
            var difference = UInt(bitPattern: secret.count ^ guess.count)
            for index in 0..<guess.count {
                // Past the end of a shorter secret its bytes are gone through again: the lengths have decided already.
                let expected = secret.isEmpty ? 0 : secret[index % secret.count]
                difference |= UInt(expected ^ guess[index])
            }
            return difference == 0
        }
    }

    private static func withBytes<Result>(
        _ left: String,
        _ right: String,
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        // These do not copy the text: it is shared until it is changed.
        var left = left
        var right = right
        return left.withUTF8 { left in right.withUTF8 { right in body(left, right) } }
    }
}

extension Sequence<String> {
    /// Whether a text with the same bytes is among them.
    package func containsExactly(_ string: String) -> Bool {
        contains { $0.isExactly(string) }
    }
}

extension Swift.Collection<String> {
    /// Where the first text with the same bytes is.
    package func firstIndex(ofExactly string: String) -> Index? {
        firstIndex { $0.isExactly(string) }
    }
}
