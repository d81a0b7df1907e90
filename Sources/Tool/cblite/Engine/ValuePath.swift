/// The path of a value in a document, such as `photos[2].image`. A dot or bracket that is part of a key is written `\.` or `\[`.
struct ValuePath: CustomStringConvertible {
    enum Step: Equatable {
        case key(String)
        case index(Int)
    }

    private(set) var steps: [Step]

    init(_ steps: [Step] = []) { self.steps = steps }

    /// Parses a path; `nil` if a key is empty, an index is no number, or the path ends with a backslash.
    init?(parsing text: String) {
        steps = []
        var rest = text[...]
        while true {
            var key = ""
            while let character = rest.first, character != ".", character != "[" {
                rest.removeFirst()
                guard character == "\\" else {
                    key.append(character)
                    continue
                }
                guard let escaped = rest.popFirst() else { return nil }
                key.append(escaped)
            }
            guard !key.isEmpty else { return nil }
            steps.append(.key(key))
            while rest.first == "[" {
                guard let end = rest.firstIndex(of: "]") else { return nil }
                let digits = rest[..<end].dropFirst()
                guard let index = Int(digits), index >= 0 else { return nil }
                steps.append(.index(index))
                rest = rest[end...].dropFirst()
            }
            guard let next = rest.popFirst() else { return }
            guard next == "." else { return nil }
        }
    }

    /// The names of a path without indexes; `nil` if it has one.
    var keys: [String]? {
        let keys = steps.compactMap { if case .key(let key) = $0 { key } else { nil } }
        return keys.count == steps.count ? keys : nil
    }

    static func + (path: ValuePath, step: Step) -> ValuePath { ValuePath(path.steps + [step]) }

    /// The path in the form that ``init(parsing:)`` accepts.
    var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key):
                if !text.isEmpty { text += "." }
                for character in key {
                    if ".[\\".contains(character) { text += "\\" }
                    text.append(character)
                }
            }
        }
        return text
    }
}
