#if Replication
import DocumentStore
import Fleece
import Foundation
import WebServer

/// What a request says about the time at which a document is purged: the property `_exp`, as in Sync Gateway.
enum DocumentExpiration: Equatable, Sendable {
    /// The request is not about the whole document: the time stays as it is.
    case unchanged
    /// The document does not expire. A revision without `_exp` ends the expiration of the one before.
    case never
    /// The time in milliseconds since 1970.
    case at(Int64)

    static let key = "_exp"

    /// The number of seconds below which a number is a time from now, and not one since 1970: 30 days.
    private static let relativeSeconds: Int64 = 30 * 24 * 3600
    private static let invalid = HubError.badRequest("_exp must be a number of seconds, or a time such as 2030-01-31T12:00:00Z")

    /// Reads the property of a document in a request.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    /// - Throws: ``WebError`` 400 if it is neither a number of seconds, from now if it is less than 30 days and since 1970 otherwise, nor a time
    ///   with a zone.
    init(_ root: DictionaryValue, now: Int64 = Int64(Date().timeIntervalSince1970 * 1000)) throws {
        guard let value = root.value(for: Self.key), !value.isNull else {
            self = .never
            return
        }
        let seconds: Int64
        if let text = value.string {
            guard let number = Int64(text) else {
                guard let date = ISO8601.parse(text), date.hasDate, date.hasTime, date.offsetMinutes != nil, date.milliseconds > 0 else {
                    throw Self.invalid
                }
                self = .at(date.milliseconds)
                return
            }
            seconds = number
        } else if value.boolean == nil, let number = value.double.flatMap({ Int64(exactly: $0) }) {
            seconds = number
        } else {
            throw Self.invalid
        }
        guard (0...ISO8601.range.upperBound / 1000).contains(seconds) else { throw Self.invalid }
        self = seconds == 0 ? .never : .at(seconds * 1000 + (seconds < Self.relativeSeconds ? now : 0))
    }
}

extension Keyspace {
    /// Stores what a request says about the expiration of a document, after its revision was stored. A tombstone can expire, too.
    ///
    /// - Parameter current: The revision before.
    func setExpiration(of documentID: String, _ input: DocumentInput, over current: StoredRevision?, in writer: Writer) throws {
        switch input.expiration {
        case .unchanged: break
        case .never:
            // Few documents expire, so this seldom writes. What becomes of the expiration by a deletion is a rule of the database.
            guard current?.expiration != nil, !input.isDeleted else { return }
            _ = try store.setExpiration(nil, of: documentID, in: writer)
        case .at(let time): _ = try store.setExpiration(time, of: documentID, in: writer)
        }
    }

    /// Returns the time at which a document expires, as responses with `show_exp=true` contain it; `nil` if it does not.
    func expirationText(of documentID: String) throws -> String? {
        guard let time = try store.document(documentID, includingDeleted: true)?.expiration, time > 0 else { return nil }
        let date = CivilDate(milliseconds: min(time, ISO8601.range.upperBound))
        return ISO8601.string(ISO8601Date(date, offsetMinutes: 0), omittingZeroFraction: true)
    }
}
#endif
