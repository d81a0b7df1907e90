import BLIP

extension Properties {
    /// A property that is true or false, in any of the forms peers write it (Replication 2.4). Missing ones are false.
    func boolean(_ name: String) -> Bool {
        guard let text = self[name]?.lowercased() else { return false }
        switch text {
        case "true", "yes": return true
        default: return Int64(text).map { $0 != 0 } ?? false
        }
    }

    /// A property that is a decimal number; nil when there is none, or it is something else.
    func integer(_ name: String) -> Int? {
        self[name].flatMap { Int($0) }
    }
}
