import Fleece
import Foundation

// Types that are stored as text.

extension URL: AdaptedScalar {
    /// The absolute URL, as `JSONEncoder` writes it. Its own encoding is a dictionary.
    var adapted: ScalarValue { .string(absoluteString) }

    init?(adapted value: Value) {
        guard let text = value.string else { return nil }
        self.init(string: text)
    }

    init(former decoder: ValueDecoder) throws { try self.init(from: decoder) }

    static var expected: String { "a URL" }
}

extension UUID: AdaptedScalar {
    /// The UUID in capital letters, as its own encoding is.
    var adapted: ScalarValue { .string(uuidString) }

    init?(adapted value: Value) {
        guard let text = value.string else { return nil }
        self.init(uuidString: text)
    }

    static var expected: String { "a UUID" }
}
