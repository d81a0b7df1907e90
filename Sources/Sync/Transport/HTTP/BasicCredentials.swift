#if Replication
import Base
import Foundation

/// A user name and password for HTTP Basic authentication (Replication 1.4). The description does not contain them.
package struct BasicCredentials: Sendable, Hashable, CustomStringConvertible {
    /// The name of the user. HTTP allows no colon in it.
    package var username: String
    /// The password, which is sent as it is: only TLS protects it.
    package var password: String

    package init(username: String, password: String) {
        self.username = username
        self.password = password
    }

    /// Compares the bytes of names and passwords. The time depends on the length of the right-hand credentials only.
    package static func == (left: BasicCredentials, right: BasicCredentials) -> Bool {
        let isSameName = left.username.isSecretEqual(toGuess: right.username)
        let isSamePassword = left.password.isSecretEqual(toGuess: right.password)
        return isSameName && isSamePassword
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactString(username))
        hasher.combine(ExactString(password))
    }

    package var description: String { "Basic …" }

    /// The value of the `Authorization` field, encoded in UTF-8.
    var fieldValue: String { "Basic " + Data("\(username):\(password)".utf8).base64EncodedString() }

    /// Parses an `Authorization` value. Returns `nil` if it has another scheme or is malformed.
    package init?(fieldValue: String) {
        let parts = fieldValue.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].isEqualIgnoringCase(to: "basic"),
            let data = Data(base64Encoded: parts[1].trimmingBlanks()),
            let text = String(validating: data, as: UTF8.self),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        username = String(text[..<colon])
        password = String(text[text.utf8.index(after: colon)...])
    }
}
#endif
