/// What `print` and debuggers show of an object: the name of its type and its most important values.
///
/// The values are in memory, and never secret: no password, key, or header of a request.
struct Appearance: CustomStringConvertible {
    private let type: String
    private let parts: [(label: String, value: Any)]

    /// - Parameter parts: The values by name, in the order shown; `nil` is not shown.
    init(_ type: String, _ parts: KeyValuePairs<String, Any?>) {
        self.type = type
        self.parts = parts.compactMap { label, value in value.map { (label, $0) } }
    }

    var description: String {
        let parts = parts.map { label, value in "\(label): \((value as? String).map(Preview.quoted) ?? "\(value)")" }
        return "\(type)(\(parts.joined(separator: ", ")))"
    }

    func mirror<Subject>(of subject: Subject) -> Mirror {
        Mirror(subject, children: parts.map { Mirror.Child(label: $0.label, value: $0.value) }, displayStyle: .class)
    }
}

/// An object that `print` and debuggers show by its ``Appearance``.
protocol Shown: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var appearance: Appearance { get }
}

extension Shown {
    /// A short text for logs and debuggers.
    public var description: String { appearance.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { appearance.mirror(of: self) }
}

/// A container or row that `print` and debuggers show by its first values.
protocol Previewed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var preview: PreviewEntries { get }
}

extension Previewed {
    /// A short text for logs and debuggers.
    public var description: String { preview.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { preview.customMirror }
}
