package import SyncCore

/// Why a connection cannot continue: the peer violated a rule of the protocol, or exceeded a limit (Replication 2.9).
package enum BLIPError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The frame ends inside its header, or a number in the header does not fit into 64 bits.
    case badHeader
    /// The frame is shorter than its header and a checksum.
    case frameTooShort
    /// The received bytes differ from those that were sent.
    case badChecksum(message: UInt64)
    /// The compressed bytes are invalid, with the reason given by zlib.
    case badCompression(message: UInt64, reason: String)
    /// A request's number does not follow the previous one.
    case requestOutOfSequence(number: UInt64, expected: UInt64)
    /// A frame was received for a request whose last frame was already received.
    case requestAlreadyComplete(number: UInt64)
    /// A response was received for a request that was not sent completely, must not be answered, or was already answered.
    case unexpectedResponse(number: UInt64)
    /// A block of properties is invalid, or the message ends inside it.
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
    /// The memory limit of all connections is reached, and this connection holds the most: see ``MemoryBudget``.
    case memoryIsShort
    /// There is not enough memory for the decompressor.
    case noMemoryToDecompress(message: UInt64)

    /// The close code for the connection (Replication 1.8): 1009 if something was too large, 4001 for a transient condition, otherwise
    /// 1002.
    package var closeCode: CloseCode {
        switch self {
        case .propertiesTooLarge, .bodyTooLarge, .frameInflatesTooMuch, .tooManyUnfinishedRequests,
            .unfinishedMessagesTooLarge, .tooManyOpenRequests, .tooMuchMemory:
            .messageTooBig
        case .memoryIsShort, .noMemoryToDecompress: .retry
        default: .protocolError
        }
    }

    /// The error of the replication that ends for this reason.
    package var syncError: SyncError { SyncError(webSocket: closeCode, description) }

    package var description: String {
        switch self {
        case .badHeader: "a frame has no valid header"
        case .frameTooShort: "a frame is too short for its checksum"
        case .badChecksum(let message): "a frame of message \(message) has a wrong checksum"
        case .badCompression(let message, let reason): "a frame of message \(message) cannot be decompressed: \(reason)"
        case .requestOutOfSequence(let number, let expected): "request \(number) was received where request \(expected) was expected"
        case .requestAlreadyComplete(let number): "a frame was received for request \(number), which is already complete"
        case .unexpectedResponse(let number): "a response was received for request \(number), which awaits none"
        case .badProperties(let message, let reason): "the properties of message \(message) are invalid: \(reason)"
        case .propertiesTooLarge(let message, let limit): "the properties of message \(message) are longer than \(limit) bytes"
        case .bodyTooLarge(let message, let limit): "the body of message \(message) is longer than \(limit) bytes"
        case .frameInflatesTooMuch(let message, let limit): "a frame of message \(message) decompresses to more than \(limit) bytes"
        case .tooManyUnfinishedRequests(let limit): "more than \(limit) requests are incomplete"
        case .unfinishedMessagesTooLarge(let limit): "incomplete messages exceed \(limit) bytes"
        case .tooManyOpenRequests(let limit): "more than \(limit) requests are open at the same time"
        case .tooMuchMemory(let limit): "the connection would use more than \(limit) bytes of memory"
        case .memoryIsShort: "all connections together have reached their memory limit, and this connection holds the most"
        case .noMemoryToDecompress(let message): "there is not enough memory to decompress a frame of message \(message)"
        }
    }
}
