import DocumentStore
import Fleece

/// What is answered to a row of `changes` (Replication 3.6).
enum ChangeAnswer: Equatable {
    /// The revision is here, or is not wanted.
    case notWanted
    /// It is to be sent; these revisions, which the receiver has, may be ancestors of it, the best base of a delta first.
    case wanted([RevisionID])
    /// It is refused, with a status of at least 300.
    case refused(Int)

    /// The body of the response. What is not wanted at the end is left out.
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
