import BLIP
import Synchronization

/// A body that is read in pieces, and may fail at its end. It records how many bytes were read.
final class GeneratedSource: BodySource {
    struct ReadError: Error {}

    private let bytes: [UInt8]
    private let pieceSize: Int
    private let failsAtEnd: Bool
    private let position = Mutex(0)

    init(_ bytes: [UInt8], pieceSize: Int = .max, failsAtEnd: Bool = false) {
        self.bytes = bytes
        self.pieceSize = pieceSize
        self.failsAtEnd = failsAtEnd
    }

    var readByteCount: Int { position.withLock { $0 } }

    func read(upTo maximum: Int) throws -> [UInt8] {
        try position.withLock { position in
            let piece = bytes[position...].prefix(min(maximum, pieceSize))
            if piece.isEmpty, failsAtEnd { throw ReadError() }
            position += piece.count
            return Array(piece)
        }
    }
}

extension OutgoingMessage {
    static func streaming(_ source: any BodySource, isCompressed: Bool = false) -> OutgoingMessage {
        var message = OutgoingMessage(isCompressed: isCompressed)
        message.body = .stream(source)
        return message
    }
}
