import Foundation

/// Colours text, on a terminal only, and not if `NO_COLOR` is set (no-color.org).
struct Style {
    enum Stream {
        case standardOutput, standardError

        var isTerminal: Bool {
            isatty(self == .standardOutput ? STDOUT_FILENO : STDERR_FILENO) == 1
        }
    }

    let isColoured: Bool

    init(isColoured: Bool) {
        self.isColoured = isColoured
    }

    init(for stream: Stream) {
        let environment = ProcessInfo.processInfo.environment
        isColoured =
            stream.isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    func bold(_ text: String) -> String { mark(text, "1") }
    func faint(_ text: String) -> String { mark(text, "2") }
    func red(_ text: String) -> String { mark(text, "31") }
    func green(_ text: String) -> String { mark(text, "32") }
    func yellow(_ text: String) -> String { mark(text, "33") }
    func blue(_ text: String) -> String { mark(text, "34") }

    private func mark(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
