import TestSupport
import Testing

@testable import cblite

@Suite("Texts from outside on a terminal")
struct TerminalEscapesTests {
    /// Returns bytes as a terminal gets them, passed in pieces of some bytes.
    private func sent(_ bytes: [UInt8], _ form: TerminalEscapes.Form, pieces: Int) -> [UInt8] {
        var escapes = TerminalEscapes(form)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { escapes.append($0, to: &result) }
        }
        escapes.finish(to: &result)
        return result
    }

    private func text(_ bytes: [UInt8], _ form: TerminalEscapes.Form = .text, pieces: Int = .max) -> String {
        String(decoding: sent(bytes, form, pieces: min(pieces, max(bytes.count, 1))), as: UTF8.self)
    }

    @Test("control characters, marks of direction and invisible characters are shown as escapes")
    func escapes() {
        for number: UInt32 in Array(0..<0x20) + Array(0x7F..<0xA0) + [0x61C, 0x200E, 0x202E, 0x2028, 0x2069, 0xFEFF, 0x200B, 0xE0041] {
            guard let scalar = Unicode.Scalar(number) else { continue }
            let shown = "a\\u{\(String(number, radix: 16))}b"
            #expect(TerminalEscapes.escaped("a\(Character(scalar))b", .text) == shown)
            #expect(TerminalEscapes.escaped(shown, .text) == shown)
        }
        #expect(TerminalEscapes.escaped("\u{1B}\u{9B}\u{E0041}", .json) == #"\u001b\u009b\udb40\udc41"#)
        #expect(TerminalEscapes.escaped("a\tb\nc\r", .lines) == "a\tb\nc\\u{d}")
    }

    @Test("letters, emoji and flags are sent as they are", arguments: ["é中👍🏽", "العربية", "👨‍👩‍👧", "می‌خواهم", "🏴󠁧󠁢󠁥󠁮󠁧󠁿!", "ü̈"])
    func unchanged(_ text: String) {
        #expect(TerminalEscapes.escaped(text, .text).utf8.elementsEqual(text.utf8))
        #expect(TerminalEscapes.escaped(text, .json).utf8.elementsEqual(text.utf8))
    }

    @Test("bytes that are not UTF-8 are shown as escapes, also where a character is cut")
    func invalidBytes() {
        #expect(text([0x61, 0x9B, 0x33, 0x62]) == #"a\x9b3b"#)
        #expect(text([0xC3, 0x41, 0xE2, 0x80]) == #"\xc3A\xe2\x80"#)
        #expect(text([0xED, 0xA0, 0x80, 0xF5, 0xC0, 0x80]) == #"\xed\xa0\x80\xf5\xc0\x80"#)
        #expect(text([0xE2, 0xC2, 0x9B]) == #"\xe2\u{9b}"#)
        #expect(text([0x22, 0xFF, 0x22], .json) == #""\ufffd""#)
    }

    @Test("whatever the bytes are, and wherever they are divided, nothing that controls the terminal is sent")
    func random() {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        let parts: [[UInt8]] = [
            [0x1B], [0x9B], [0xC2, 0x9B], [0xE2, 0x80, 0xAE], [0xF0, 0x9F, 0x8F, 0xB4], [0xF3, 0xA0, 0x81, 0xA7], [0xC3], [0xE2], [0x41],
            [0x0A], [0xC3, 0xA9], [0xEF, 0xBB, 0xBF],
        ]
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0..<20, using: &random)).flatMap { _ in
                Bool.random(using: &random) ? parts.randomElement(using: &random) ?? [] : [UInt8.random(in: 0...255, using: &random)]
            }
            for form in [TerminalEscapes.Form.text, .lines, .json] {
                let whole = sent(bytes, form, pieces: max(bytes.count, 1))
                #expect(sent(bytes, form, pieces: Int.random(in: 1...4, using: &random)) == whole)
                #expect(TerminalControls.first(in: whole, allowing: form == .text ? [] : ["\n", "\t"]) == nil, "\(bytes)")
            }
        }
    }

    @Test("of a text for people, only what the tool writes itself can control the terminal")
    func interpolation() {
        let name = "x\u{1B}[2J\n"
        let text: TerminalText = "\u{1B}[1mName\u{1B}[0m: \(name)\n"
        #expect(text.text == "\u{1B}[1mName\u{1B}[0m: x\\u{1b}[2J\\u{a}\n")
        #expect(Style(isColoured: true).red(name).text == "\u{1B}[31mx\\u{1b}[2J\\u{a}\u{1B}[0m")
        #expect((TerminalText(name) + "!").text == "x\\u{1b}[2J\\u{a}!")
        #expect(TerminalText(lines: name).text == "x\\u{1b}[2J\n")
    }
}

/// What a terminal would obey instead of showing it. Written from the rule, not from the code that is tested.
enum TerminalControls {
    /// Returns a description of the first control in an output; `nil` if there is none.
    static func first(in bytes: some Collection<UInt8>, allowing allowed: Set<Unicode.Scalar>) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return "the output is not UTF-8: \(Array(bytes))" }
        var isInFlag = false
        for scalar in text.unicodeScalars {
            defer { isInFlag = scalar == "\u{1F3F4}" || isInFlag && scalar.value >> 7 == 0xE0000 >> 7 }
            if allowed.contains(scalar) { continue }
            let joins = scalar == "\u{200C}" || scalar == "\u{200D}"
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: return "U+\(String(scalar.value, radix: 16))"
            // The format characters above are parts of scripts.
            case .format where !joins && !isInFlag && scalar.properties.isDefaultIgnorableCodePoint && scalar.value >= 0x2000:
                return "U+\(String(scalar.value, radix: 16))"
            default: continue
            }
        }
        return nil
    }
}
