#if Replication
import Base

/// The position of a client in a feed, which clients store as an opaque sequence.
///
/// As long as the channels of a user have never changed, it is the number of the last change. Otherwise it also contains the epochs of the
/// user's channels (``AccessHistory``) in which the client was served: `"epoch:sequence"`, `"epoch:sequence:from"`, or while the
/// documents before `sequence` are examined again, `"epoch:sequence:from:examined"`. After a change of the mapping of channels, it also
/// contains the generation of the index: `"epoch:sequence:from:examined:generation"`.
struct FeedPosition: Equatable, Sendable {
    /// The client has been told what it may read of the documents up to ``sequence``, as of this epoch.
    var epoch: UInt64 = 0
    var sequence: UInt64 = 0
    /// The client may have received later documents since this epoch.
    var from: UInt64 = 0
    /// While documents up to ``sequence`` are examined again: the sequence of the last examined one.
    var examined: UInt64?
    /// The generation of the index of channels (``ChannelIndex``) from which the client was served.
    var generation: UInt64 = 0

    /// - Throws: ``WebError`` 400 if the text cannot be a position of any server.
    init(_ text: String?) throws {
        self.init()
        guard var text, !text.isEmpty, text != "null" else { return }
        if text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count >= 2 { text = String(text.dropFirst().dropLast()) }
        // Digits and the colon.
        guard text.utf8.allSatisfy({ (0x30...0x3A).contains($0) }) else { throw HubError.badRequest("since must be a sequence") }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt64($0) }
        // Anything else is a sequence of another server. Starting from the beginning is always correct.
        guard numbers.count == parts.count, numbers.count <= 5 else { return }
        if numbers.count == 1 {
            sequence = numbers[0]
            return
        }
        (epoch, sequence) = (numbers[0], numbers[1])
        from = numbers.count > 2 ? min(numbers[2], epoch) : epoch
        if numbers.count > 3 { examined = min(numbers[3], sequence) }
        guard numbers.count > 4 else { return }
        generation = numbers[4]
        // If all have been examined again.
        if examined == sequence { examined = nil }
    }

    init(epoch: UInt64 = 0, sequence: UInt64 = 0, from: UInt64 = 0, examined: UInt64? = nil, generation: UInt64 = 0) {
        (self.epoch, self.sequence, self.from, self.examined, self.generation) = (epoch, sequence, from, examined, generation)
    }

    /// The position as a user reads it.
    var text: String {
        if generation > 0 { return "\(epoch):\(sequence):\(from):\(examined ?? sequence):\(generation)" }
        if let examined { return "\(epoch):\(sequence):\(from):\(examined)" }
        if from != epoch { return "\(epoch):\(sequence):\(from)" }
        return epoch == 0 ? "\(sequence)" : "\(epoch):\(sequence)"
    }

    /// The position in JSON: a number, or a string.
    var json: String { epoch == 0 && from == 0 && examined == nil && generation == 0 ? text : "\"\(text)\"" }
}
#endif
