package import Foundation
package import SQLiteEngine

/// What is wrong with the arguments of a call of the API. A function that traps ends the process because of it; the form of the function with the
/// label `validating` throws it (API 1.3).
package struct Misuse: Error {
    /// The name under which it is reported when it ends the process.
    package let name: String
    /// What is wrong, as a sentence or clause for the developer.
    package let reason: String
    /// The code of the thrown error (API 14).
    package let code: Int

    /// An argument that is never valid.
    package static func invalidArgument(_ reason: String, code: Int = 9) -> Misuse {
        Misuse(name: "NSInvalidArgumentException", reason: reason, code: code)
    }

    /// A value that cannot be stored.
    package static func badValue(_ reason: String) -> Misuse {
        Misuse(name: "NSInternalInconsistencyException", reason: reason, code: 18002)
    }

    /// A value of a type that cannot be stored.
    package static func invalidType(of value: Any) -> Misuse {
        .badValue(
            """
            \(type(of: value)) is not a valid type. Valid types are String, numbers, Bool, Date, Duration, UUID, URL, Data, Blob, \
            arrays, dictionaries, ArrayObject, DictionaryObject, NSNull and nil.
            """
        )
    }

    private static let notOpen = 6
    private static let invalidURL = 5004
}

// MARK: - Checks of arguments

extension Misuse {
    /// Checks that collections can be used together.
    ///
    /// - Parameters:
    ///   - collections: The database, the full name, and whether the collection can be used.
    ///   - purpose: `replicate` or `serve`.
    package static func check(collections: [(database: AnyObject, name: String, isValid: Bool)], to purpose: String) throws(Misuse) {
        guard let first = collections.first else { throw .invalidArgument("The array of collections to \(purpose) is empty.") }
        for (database, name, isValid) in collections {
            guard database === first.database else { throw .invalidArgument("The collections to \(purpose) belong to several databases.") }
            guard isValid else {
                throw .invalidArgument(
                    "Collection \"\(name)\" cannot be \(purpose)d: it was deleted, or its database is closed.",
                    code: notOpen
                )
            }
        }
    }

    /// Checks the URL of a database on a server.
    package static func check(endpoint url: URL) throws(Misuse) {
        guard let scheme = url.scheme?.lowercased(), scheme == "ws" || scheme == "wss" else {
            throw .invalidArgument("The scheme of an endpoint's URL must be ws or wss, not \"\(url.scheme ?? "")\".", code: invalidURL)
        }
        guard url.user == nil, url.password == nil else {
            throw .invalidArgument(
                "The URL of an endpoint must not contain a user or password. Set the authenticator of the configuration instead.",
                code: invalidURL
            )
        }
    }

    /// Checks a time of a configuration, in seconds.
    package static func check(time: Double, _ name: String) throws(Misuse) {
        // The comparison also rejects NaN.
        guard time >= 0 else { throw .invalidArgument("\(name) is \(time), but must not be negative.") }
    }

    /// Checks the expressions of an index of array elements.
    package static func check(arrayExpressions expressions: [String]?) throws(Misuse) {
        if let expressions, expressions.isEmpty || expressions.contains("") {
            throw .invalidArgument("The expressions of an array index must not be empty; use nil to index the elements themselves")
        }
    }

    /// Returns the encryption key that consists of the given bytes.
    package static func secret(_ key: Data) throws(Misuse) -> EncryptionSecret {
        guard let secret = EncryptionSecret(key: [UInt8](key)) else {
            throw .invalidArgument("An encryption key must have 32 bytes, not \(key.count).")
        }
        return secret
    }
}
