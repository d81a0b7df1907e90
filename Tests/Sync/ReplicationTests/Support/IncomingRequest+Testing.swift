@testable import BLIP

extension IncomingRequest {
    /// Creates a request as if it had arrived on a connection.
    init(_ properties: Properties, _ body: String = "") {
        self.init(
            number: 1,
            properties: properties,
            body: Array(body.utf8),
            isUrgent: false,
            isNoReply: false,
            isTooLarge: false,
            reservation: MemoryReservation(MemoryAccount(.unlimited, limit: .max))
        )
    }
}
