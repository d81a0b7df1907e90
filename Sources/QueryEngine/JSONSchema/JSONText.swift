/// The text of scalars in JSON (Storage format 9.2).
enum JSONText {
    static func string(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{00}"..."\u{1F}", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// Returns the shortest text that parses to the same double. NaN becomes `null`, because JSON cannot represent it.
    static func number(_ number: Double) -> String {
        if number.isNaN { return "null" }
        if number.isInfinite { return number < 0 ? "-1e999" : "1e999" }
        return number.description
    }
}
