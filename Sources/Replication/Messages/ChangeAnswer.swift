import DocumentStore
import Fleece

/// The answer to a row of `changes` (Replication 3.6).
enum ChangeAnswer: Equatable {
    /// The receiver has the revision or does not want it.
    case notWanted
    /// The sender should send the revision. The listed revisions exist at the receiver and may be ancestors; the best base of a delta comes
    /// first.
    case wanted([RevisionID])
    /// The revision is refused, with a status of at least 300.
    case refused(Int)

    /// Returns the body of the response. Unwanted rows at the end are omitted.
    static func body(_ answers: [ChangeAnswer]) -> [UInt8] {
        let count = (answers.lastIndex { $0 != .notWanted } ?? -1) + 1
        var writer = JSONWriter(capacity: 16 + count * 48)
        writer.append(ascii: "[")
        for (index, answer) in answers.prefix(count).enumerated() {
            if index > 0 { writer.append(ascii: ",") }
            switch answer {
            case .notWanted: writer.append(ascii: "0")
            case .refused(let status): writer.append(Int64(status))
            case .wanted(let ancestors):
                writer.append(ascii: "[")
                for (index, ancestor) in ancestors.enumerated() {
                    if index > 0 { writer.append(ascii: ",") }
                    writer.append(ancestor.description)
                }
                writer.append(ascii: "]")
            }
        }
        writer.append(ascii: "]")
        return writer.byteArray
    }
}
