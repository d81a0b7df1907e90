package import Foundation

/// What `print` and debuggers show of an object: the name of its type and its most important values.
///
/// The values are in memory, and never secret: no password, key, or header of a request.
package struct Appearance: CustomStringConvertible {
    private let type: String
    private let parts: [(label: String, value: Any)]
    /// The first values of a container or row, which are all that is shown of it.
    private let entries: PreviewEntries?

    /// - Parameter parts: The values by name, in the order shown; `nil` is not shown.
    package init(_ type: String, _ parts: KeyValuePairs<String, Any?>) {
        self.type = type
        self.parts = parts.compactMap { label, value in value.map { (label, $0) } }
        entries = nil
    }

    /// What is shown of a container or row: only its first values.
    package init(_ entries: PreviewEntries) { (type, parts, self.entries) = ("", [], entries) }

    package var description: String {
        if let entries { return entries.description }
        let parts = parts.map { label, value in "\(label): \((value as? String).map(Self.quoted) ?? "\(value)")" }
        return "\(type)(\(parts.joined(separator: ", ")))"
    }

    /// Returns the mirror that shows the values as children of `subject`, for its `customMirror`.
    package func mirror<Subject>(of subject: Subject) -> Mirror {
        if let entries { return entries.customMirror }
        return Mirror(subject, children: parts.map { Mirror.Child(label: $0.label, value: $0.value) }, displayStyle: .class)
    }

    /// Returns a URL without its query, which may be secret.
    package static func withoutQuery(_ url: URL) -> String {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        parts?.query = nil
        return parts?.string ?? "an invalid URL"
    }

    /// Returns the beginning of a text, with `…` if it is long.
    package static func shortened(_ text: String) -> (text: Substring, mark: String) {
        let shown = text.prefix(100)
        return (shown, shown.endIndex < text.endIndex ? "…" : "")
    }

    /// Returns a text in quotes, without its end if it is long.
    package static func quoted(_ text: String) -> String {
        let (shown, mark) = shortened(text)
        return shown.debugDescription + mark
    }
}
