import TestSupport

/// Generates texts in UTF-8 that are hard to sort: letters that languages sort in their own way, digraphs, combining and ignored characters,
/// punctuation, scripts of all kinds, and invalid bytes.
struct CollatedTextGenerator {
    var random: SeededGenerator

    mutating func text() -> [UInt8] {
        var text: [UInt8] = []
        for _ in 0..<Int.random(in: 0...7, using: &random) { text += piece() }
        return text
    }

    /// Returns a text that differs from another one in one place, in its case, or in the order of its characters.
    mutating func variant(of text: [UInt8]) -> [UInt8] {
        var scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
        guard !scalars.isEmpty else { return piece() }
        let index = Int.random(in: scalars.indices, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: scalars.insert(contentsOf: String(decoding: piece(), as: UTF8.self).unicodeScalars, at: index)
        case 1: scalars.remove(at: index)
        case 2: scalars.replaceSubrange(index...index, with: String(decoding: piece(), as: UTF8.self).unicodeScalars)
        case 3: scalars.swapAt(index, 0)
        default: return Array(String(String.UnicodeScalarView(scalars)).uppercased().utf8)
        }
        return Array(String(String.UnicodeScalarView(scalars)).utf8)
    }

    private mutating func piece() -> [UInt8] {
        switch Int.random(in: 0..<50, using: &random) {
        case 0: return Self.invalid[Int.random(in: Self.invalid.indices, using: &random)]
        case 1: return Array(String(Unicode.Scalar(UInt32.random(in: 0..<0xD800, using: &random)) ?? " ").utf8)
        case 2: return Array(String(Unicode.Scalar(UInt32.random(in: 0xE000..<0x20000, using: &random)) ?? " ").utf8)
        case 3: return [UInt8.random(in: 0..<0x80, using: &random)]
        default:
            let kind = Self.pieces[Int.random(in: Self.pieces.indices, using: &random)]
            return Array(kind[Int.random(in: kind.indices, using: &random)].utf8)
        }
    }

    private static let pieces: [[String]] = [
        "` ^ _ - , ; : ! ? . ' \" ( ) [ ] { } @ * / \\ & # % + < = > | ~ $ 0 1 9 10 a A b B z Z".split(separator: " ").map(String.init) + [
            " "
        ],
        ["\u{0}", "\u{1}", "\u{8}", "\t", "\n", "\r", "\u{1F}", "\u{7F}", "\u{85}", "\u{AD}", "\u{200B}", "\u{200D}", "\u{FEFF}"],
        // Digraphs and letters with their own place in some language.
        """
        ch Ch CH cs Cs dz dzs Dž DŽ ddz ddzs gh ll Ll LL lj Lj nj ij aa AA Aa ae oe ss ß ŋ th ng rh ž l· L· ly ny sz zs ty gy ccs ssz
        c d e h i ı İ I l n o q r s t u v w V W x y å Å æ Æ ä Ä ö Ö ø Ø é è ê ć č š đ ð þ œ ǖ ñ ő ű ơ ư ǆ ǉ ą ė ę ħ
        """.split(whereSeparator: \.isWhitespace).map(String.init),
        [0x300, 0x301, 0x302, 0x306, 0x308, 0x30A, 0x323, 0x327, 0x328, 0x31B, 0x335, 0x345, 0x3099, 0x309A, 0x5B0, 0x64B, 0xF71, 0xF72]
            .compactMap(Unicode.Scalar.init).map { String($0) },
        "– — … ‘ ’ “ ” « » ¡ ¿ § € £ ¥ № ™ ½ ² ₂ × ° · •".split(separator: " ").map(String.init),
        "日 本 語 中 国 一 丁 龥 𠀀 㐀 か が カ ガ ｶ ﾞ ー 々 ゝ 한 글 가 ᄀ ᅡ ᆨ ㅏ".split(separator: " ").map(String.init),
        "α ά β Ω ω ς а б ё й ъ א ב ا أ ب ة ก เ เก ไ ข ກ ເ क क्ष ख ா ොා ක က အ ა ա ཀ ྲ ཱྀ".split(separator: " ").map(String.init),
        "😀 👍🏽 👨‍👩‍👧 🇩🇪 🇫🇷 ❤️ \u{FFFD} \u{10FFFF} \u{E000} ﬁ Ａ ａ １ ① Ⅷ ﷺ ٠ १".split(separator: " ").map(String.init),
    ]

    private static let invalid: [[UInt8]] = [
        [0xFF], [0xC0, 0x80], [0xC1, 0xA1], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xE0, 0x81, 0xA1], [0xF4, 0x90, 0x80, 0x80], [0x80], [0xC3],
        [0xF0, 0x9F, 0x98],
    ]
}
