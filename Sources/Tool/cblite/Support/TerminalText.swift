/// A line for people: what the tool itself writes, and texts from outside, which cannot control the terminal.
///
/// Of a string literal, the literal parts are sent as they are, with line feeds, and the values between them are escaped by
/// ``TerminalEscapes``: files, IDs, arguments, paths and messages of servers are shown, whatever they contain.
struct TerminalText: ExpressibleByStringInterpolation, Equatable {
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity + 16 * interpolationCount) }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ text: TerminalText) { self.text += text.text }

        mutating func appendInterpolation(_ value: some Any) { text += DisplayWidth.printable(String(describing: value)) }
    }

    /// The text as it can be sent to a terminal.
    private(set) var text: String

    init(stringLiteral text: String) { self.text = text }

    init(stringInterpolation interpolation: StringInterpolation) { text = interpolation.text }

    /// - Parameter text: A text from outside.
    init(_ text: String) { self.text = DisplayWidth.printable(text) }

    /// - Parameter lines: A text from outside whose line feeds and tabs are kept.
    init(lines: String) { text = TerminalEscapes.escaped(lines, .lines) }

    /// - Parameter own: A text of the tool itself, or one that is escaped already.
    init(own: String) { text = own }

    static func + (left: TerminalText, right: TerminalText) -> TerminalText { TerminalText(own: left.text + right.text) }

    static func += (left: inout TerminalText, right: TerminalText) { left.text += right.text }
}
