package import SyncCore

/// Why a connection cannot go on: the peer broke a rule of the protocol, or a limit (Replication 2.9).
package enum BLIPError: Error, Hashable, Sendable {
    /// The frame ends inside its header, or has a number above 2^64 there.
    case badHeader
    /// The frame is shorter than its header and a checksum.
    case frameTooShort
    /// The bytes that came are not those that were sent.
    case badChecksum(message: UInt64)
    /// The compressed bytes are none, by zlib's reason.
    case badCompression(message: UInt64, reason: String)
    /// A request's number is not the one after the last.
    case requestOutOfSequence(number: UInt64, expected: UInt64)
    /// A frame for a request whose last frame has come before.
    case requestAlreadyComplete(number: UInt64)
    /// A response to a request that was not sent whole, is not to be answered, or has been answered.
    case unexpectedResponse(number: UInt64)
    /// A block of properties is none, or the message ends inside it.
    case badProperties(message: UInt64, reason: String)
    /// More than ``BLIPOptions/maximumPropertiesSize``.
    case propertiesTooLarge(message: UInt64, limit: Int)
    /// More than ``BLIPOptions/maximumBodySize``.
    case bodyTooLarge(message: UInt64, limit: Int)
    /// More than ``BLIPOptions/maximumInflatedFrameSize``.
    case frameInflatesTooMuch(message: UInt64, limit: Int)
    /// More than ``BLIPOptions/maximumUnfinishedRequests``.
    case tooManyUnfinishedRequests(limit: Int)
    /// More than ``BLIPOptions/maximumUnfinishedSize``.
    case unfinishedMessagesTooLarge(limit: Int)
    /// More than ``BLIPOptions/maximumOpenRequests``.
    case tooManyOpenRequests(limit: Int)
    /// The connection would hold more than ``BLIPOptions/maximumMemory``.
    case tooMuchMemory(limit: Int)
    /// All connections together hold what they may, and this one holds most: see ``MemoryBudget``.
    case memoryIsShort

    /// What to close the connection with (Replication 1.8): 1009 when something was too large, 4001 for what passes, else 1002.
    package var closeCode: Int {
        switch self {
        case .propertiesTooLarge, .bodyTooLarge, .frameInflatesTooMuch, .tooManyUnfinishedRequests,
            .unfinishedMessagesTooLarge, .tooManyOpenRequests, .tooMuchMemory:
            1009
        case .memoryIsShort: 4001
        default:
            1002
        }
    }

    /// The error of the replication that ends with this.
    package var syncError: SyncError {
        SyncError(.webSocket, closeCode, description)
    }

    init(_ refusal: MemoryAccount.Refusal) {
        switch refusal {
        case .connectionIsFull(let limit): self = .tooMuchMemory(limit: limit)
        case .processIsFull: self = .memoryIsShort
        }
    }
}

extension BLIPError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .badHeader: "a frame has no valid header"
        case .frameTooShort: "a frame is too short for its checksum"
        case .badChecksum(let message): "a frame of message \(message) has a wrong checksum"
        case .badCompression(let message, let reason):
            "a frame of message \(message) cannot be decompressed: \(reason)"
        case .requestOutOfSequence(let number, let expected):
            "request \(number) came where request \(expected) was due"
        case .requestAlreadyComplete(let number): "a frame came for request \(number), which was complete"
        case .unexpectedResponse(let number): "a response came for request \(number), which awaits none"
        case .badProperties(let message, let reason): "the properties of message \(message) are invalid: \(reason)"
        case .propertiesTooLarge(let message, let limit):
            "the properties of message \(message) are longer than \(limit) bytes"
        case .bodyTooLarge(let message, let limit): "the body of message \(message) is longer than \(limit) bytes"
        case .frameInflatesTooMuch(let message, let limit):
            "a frame of message \(message) decompresses to more than \(limit) bytes"
        case .tooManyUnfinishedRequests(let limit): "more than \(limit) requests have begun and not ended"
        case .unfinishedMessagesTooLarge(let limit): "messages that have begun and not ended exceed \(limit) bytes"
        case .tooManyOpenRequests(let limit): "more than \(limit) requests are open at once"
        case .tooMuchMemory(let limit): "the connection would take more than \(limit) bytes of memory"
        case .memoryIsShort: "all connections together take as much memory as they may, and this one takes most"
        }
    }
}
