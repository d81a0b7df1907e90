#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension String {
    /// Returns whether both strings have the same bytes. Canonically equivalent strings with different bytes are equal with `==`, but not
    /// here.
    package func isExactly(_ other: String) -> Bool {
        Self.withBytes(self, other) { left, right in
            guard left.count == right.count else { return false }
            // The base address may be `nil` if there are no bytes.
            guard let left = left.baseAddress, let start = right.baseAddress, right.count > 0 else { return true }
            return memcmp(left, start, right.count) == 0
        }
    }

    /// Returns whether both strings have the same bytes; `false` if `other` is `nil`.
    package func isExactly(_ other: String?) -> Bool {
        guard let other else { return false }
        return isExactly(other)
    }

    /// Returns whether the bytes of the string begin with those of `prefix`. With `hasPrefix`, a combining accent after the prefix makes another
    /// character of it.
    package func beginsExactly(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Returns what follows the bytes of `prefix`; `nil` if the string does not begin with them. A combining accent after the prefix is part of
    /// the rest.
    package func rest(afterExactly prefix: String) -> Substring? {
        beginsExactly(with: prefix) ? Substring(unicodeScalars.dropFirst(prefix.unicodeScalars.count)) : nil
    }

    /// Returns the parts between separators that are not empty. With `split`, a separator followed by a combining accent separates nothing.
    package func splitExactly(at separator: Unicode.Scalar) -> [String] { unicodeScalars.split(separator: separator).map(String.init) }

    /// Returns whether the bytes sort before those of `other`; a prefix sorts before longer strings.
    package func isOrderedBefore(_ other: String) -> Bool {
        Self.withBytes(self, other) { left, right in
            let shared = min(left.count, right.count)
            guard shared > 0, let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return left.count < right.count }
            let order = memcmp(leftStart, rightStart, shared)
            return order == 0 ? left.count < right.count : order < 0
        }
    }

    /// Returns the string with every occurrence of `mark` doubled, as in quoted names and texts of SQL. This includes a mark followed by a
    /// combining accent: for Swift that is another character, but for a byte-based parser the mark ends the quotation.
    package func doubling(_ mark: Unicode.Scalar) -> String {
        guard unicodeScalars.contains(mark) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar == mark { result.append(mark) }
            result.append(scalar)
        }
        return String(result)
    }

    /// Returns whether both strings have the same bytes, in a time that depends only on the length of `guess`, so that timing does not
    /// reveal how much of a secret was guessed. For passwords.
    package func isSecretEqual(toGuess guess: String) -> Bool {
        Self.withBytes(self, guess) { secret, guess in
            var difference = UInt(bitPattern: secret.count ^ guess.count)
            for index in 0..<guess.count {
                // Wraps around at the end of a shorter secret: the different lengths have already decided the result.
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
        // These do not copy the storage, which is shared until it is changed.
        var left = left
        var right = right
        return left.withUTF8 { left in right.withUTF8 { right in body(left, right) } }
    }
}

extension Sequence<String> {
    /// Returns whether the sequence contains a string with the same bytes.
    package func containsExactly(_ string: String) -> Bool { contains { $0.isExactly(string) } }
}

extension Swift.Collection<String> {
    /// Returns the position of the first string with the same bytes.
    package func firstIndex(ofExactly string: String) -> Index? {
        firstIndex { $0.isExactly(string) }
    }
}

extension Sequence<UInt8> {
    /// The bytes in hexadecimal: two lowercase digits each.
    package var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

// Swift's `uppercased()` and `lowercased()` also change other letters, and some of them into ASCII letters: "ﬂ" becomes "FL".
extension StringProtocol {
    /// The text with its ASCII letters in upper case, as SQLite compares keywords.
    package var asciiUppercased: String { String(decoding: utf8.map(\.asciiUppercased), as: UTF8.self) }

    /// The text with its ASCII letters in lower case, as SQLite compares the names of tables, and HTTP those of header fields.
    package var asciiLowercased: String { String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self) }
}

extension UInt8 {
    /// The byte, converted to upper case if it is a small ASCII letter.
    var asciiUppercased: UInt8 { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") ? self & 0xDF : self }

    /// The byte, converted to lower case if it is a capital ASCII letter.
    package var asciiLowercased: UInt8 { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self }
}
