import QueryEngine

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
        private var ignoresCase = false

        /// Sets whether the case of ASCII letters is ignored. Default: false. Returns the same object.
        @discardableResult
        public func ignoreCase(_ ignoreCase: Bool) -> Self {
            ignoresCase = ignoreCase
            return self
        }

        var options: CollationOptions { CollationOptions(isUnicode: false, isCaseSensitive: !ignoresCase, isDiacriticSensitive: true) }
    }

    /// A collation that compares by the rules of a language. Not thread-safe while it is configured.
    public final class Unicode: CollationProtocol, CollationConvertible {
        private var ignoresCase = false
        private var ignoresAccents = false
        private var localeIdentifier: String? = Locale.current.language.languageCode?.identifier

        /// Sets whether case is ignored. Default: false. Returns the same object.
        @discardableResult
        public func ignoreCase(_ ignoreCase: Bool) -> Self {
            ignoresCase = ignoreCase
            return self
        }

        /// Sets whether accents are ignored. Default: false. Returns the same object.
        @discardableResult
        public func ignoreAccents(_ ignoreAccents: Bool) -> Self {
            ignoresAccents = ignoreAccents
            return self
        }

        /// Sets the language, by its locale identifier, such as `"sv"`; `nil` selects the language-independent root locale. Default: the
        /// language of the current locale. Returns the same object.
        @discardableResult
        public func locale(_ locale: String?) -> Self {
            localeIdentifier = locale
            return self
        }

        var options: CollationOptions {
            CollationOptions(
                isUnicode: true,
                isCaseSensitive: !ignoresCase,
                isDiacriticSensitive: !ignoresAccents,
                locale: localeIdentifier
            )
        }
    }
}
