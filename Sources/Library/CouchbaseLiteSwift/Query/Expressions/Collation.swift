import QueryEngine
import QueryLanguage

/// The rules by which strings are compared; see ``ExpressionProtocol/collate(_:)``.
public protocol CollationProtocol {}

/// A collation created by this library.
protocol CollationConvertible {
    var options: CollationOptions { get }
}

/// Creates collations.
public final class Collation {
    private init() {}

    /// Returns a collation that compares the UTF-8 bytes of strings. It can ignore the case of ASCII letters.
    public static func ascii() -> ASCII { ASCII() }

    /// Returns a collation that compares by the rules of a language. It can ignore case and accents.
    public static func unicode() -> Unicode { Unicode() }

    /// A collation that compares the UTF-8 bytes of strings. Not thread-safe while it is configured.
    public final class ASCII: CollationProtocol, CollationConvertible {
        private(set) var options = CollationOptions(isUnicode: false, isCaseSensitive: true, isDiacriticSensitive: true)

        /// Sets whether the case of ASCII letters is ignored. Default: false. Returns the same object.
        @discardableResult
        public func ignoreCase(_ ignoreCase: Bool) -> Self {
            options.isCaseSensitive = !ignoreCase
            return self
        }
    }

    /// A collation that compares by the rules of a language. Not thread-safe while it is configured.
    public final class Unicode: CollationProtocol, CollationConvertible {
        private(set) var options = CollationOptions(
            isUnicode: true,
            isCaseSensitive: true,
            isDiacriticSensitive: true,
            locale: FullTextIndexOptions.currentLanguage
        )

        /// Sets whether case is ignored. Default: false. Returns the same object.
        @discardableResult
        public func ignoreCase(_ ignoreCase: Bool) -> Self {
            options.isCaseSensitive = !ignoreCase
            return self
        }

        /// Sets whether accents are ignored. Default: false. Returns the same object.
        @discardableResult
        public func ignoreAccents(_ ignoreAccents: Bool) -> Self {
            options.isDiacriticSensitive = !ignoreAccents
            return self
        }

        /// Sets the language, by its locale identifier, such as `"sv"`; `nil` selects the language-independent root locale. Default: the
        /// language of the current locale. Returns the same object.
        @discardableResult
        public func locale(_ locale: String?) -> Self {
            options.locale = locale
            return self
        }
    }
}
