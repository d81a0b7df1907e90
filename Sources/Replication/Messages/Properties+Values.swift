import BLIP

extension Properties {
    /// Returns a boolean property, in any of the forms that peers write (Replication 2.4). A missing property is `false`.
    func boolean(_ name: String) -> Bool {
        guard let text = self[name]?.lowercased() else { return false }
        switch text {
        case "true", "yes": return true
        default: return Int64(text).map { $0 != 0 } ?? false
        }
    }

    /// Returns a decimal integer property; `nil` if it is missing or not an integer.
    func integer(_ name: String) -> Int? {
        self[name].flatMap { Int($0) }
    }
}
