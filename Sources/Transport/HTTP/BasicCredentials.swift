#if Replication
    import Foundation

    /// A name and a password as HTTP's Basic authentication carries them (Replication 1.4). Never printed.
    package struct BasicCredentials: Sendable, Hashable, CustomStringConvertible {
        package var username: String
        package var password: String

        package init(username: String, password: String) {
            self.username = username
            self.password = password
        }

        package var description: String { "Basic …" }

        /// The value of `Authorization`, in UTF-8.
        var fieldValue: String { "Basic " + Data("\(username):\(password)".utf8).base64EncodedString() }

        /// Reads a value of `Authorization`; nil for another scheme and for what is malformed.
        init?(fieldValue: String) {
            let parts = fieldValue.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].isEqualIgnoringCase(to: "basic"),
                let data = Data(base64Encoded: parts[1].trimmingBlanks()),
                let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
            else { return nil }
            username = String(text[..<colon])
            password = String(text[text.index(after: colon)...])
        }
    }
#endif
