import QueryEngine

/// How strings are compared.
public protocol CollationProtocol {}

/// A collation that the library made.
protocol CollationConvertible {
    var options: CollationOptions { get }
}

/// Makes collations.
public final class Collation {
    private init() {}

    /// By bytes; only the case of ASCII letters can be ignored.
    public static func ascii() -> ASCII { ASCII() }

    /// By the rules of a language; case and accents can be ignored.
    public static func unicode() -> Unicode { Unicode() }

    /// Compares by bytes.
    public final class ASCII: CollationProtocol, CollationConvertible {
        private var ignoresCase = false

        /// Whether the case of ASCII letters is ignored. At first it is not.
        @discardableResult
        public func ignoreCase(_ ignoreCase: Bool) -> Self {
            ignoresCase = ignoreCase
            return self
        }

        var options: CollationOptions {
            CollationOptions(isUnicode: false, isCaseSensitive: !ignoresCase, isDiacriticSensitive: true)
        }
    }

    /// Compares by the rules of a language.
    public final class Unicode: CollationProtocol, CollationConvertible {
        private var ignoresCase = false
        private var ignoresAccents = false
        private var localeIdentifier: String? = Locale.current.language.languageCode?.identifier

        /// Whether case is ignored. At first it is not.
        @discardableResult
        public func ignoreCase(_ ignoreCase: Bool) -> Self {
            ignoresCase = ignoreCase
            return self
        }

        /// Whether accents are ignored. At first they are not.
        @discardableResult
        public func ignoreAccents(_ ignoreAccents: Bool) -> Self {
            ignoresAccents = ignoreAccents
            return self
        }

        /// The language, by its locale identifier, say `"sv"`; nil is the root locale. At first it is the current one.
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
