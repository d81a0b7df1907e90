package import Base

/// How a connection sends, and its limits for the peer.
package struct BLIPOptions: Sendable {
    /// The highest compression level, from 1 to 9; 0 disables compression. Compressed frames are always accepted.
    package var compressionLevel = 6

    /// The largest accepted block of properties, in bytes. Stock peers have the same limit (Replication 2.4).
    package var maximumPropertiesSize = 102_400

    /// The largest accepted body, in bytes. The body of a larger request is discarded, see ``IncomingRequest/isTooLarge``; a larger
    /// response ends the connection. Streamed responses may be larger.
    package var maximumBodySize = 4 << 20

    /// The largest accepted bodies, in bytes, of requests that have limits of their own, by the value of their property `Profile`.
    package var maximumBodySizes: [ExactString: Int] = [:]

    /// The value of the property `Profile` of requests that must be handled in the order in which the peer began to send them; `nil` if
    /// the order does not matter. A short request can be complete before a long one that began earlier; it waits then.
    package var orderedProfile: String?

    /// The most incomplete requests.
    package var maximumUnfinishedRequests = 4000

    /// The most open requests: complete and unanswered, or answered while the answer is not sent completely. This protects against peers
    /// that only send requests. Stock peers have as many open as fit into 2 MiB.
    package var maximumOpenRequests = 50_000

    /// The most bytes that all incomplete messages may hold together.
    package var maximumUnfinishedSize = 256 << 20

    /// The most bytes that a frame may decompress to. A valid frame of 16 KiB decompresses to 16.2 MiB at most (Replication 2.6). It is
    /// decompressed in pieces of 64 KiB.
    package var maximumInflatedFrameSize = 20 << 20

    /// The number of bytes of queued answers, in memory, from which requests are no longer handled; handling resumes at half of it.
    package var maximumQueuedAnswerSize = 1 << 20

    /// The most bytes that the connection may hold in memory: received messages, unanswered requests, data queued for sending, and the
    /// compressors. Above half of it only the oldest incomplete request is acknowledged, so that the peer finishes one after the other. By
    /// default 96 MiB, which is enough for two documents of 20 MB.
    package var maximumMemory = 96 << 20

    /// The factor by which the body of a message counts in ``maximumMemory``: by default 2, for the body and its parsed form.
    package var bodyCost = 2

    /// The budget that the connection shares with all others of the process.
    package var memoryBudget = MemoryBudget.shared

    package init() {}

    /// Returns whether the order of a request may matter.
    ///
    /// - Parameter properties: Its properties; `nil` if they are not complete.
    func mayBeOrdered(_ properties: Properties?) -> Bool {
        guard let orderedProfile else { return false }
        guard let properties else { return true }
        return properties["Profile"]?.isExactly(orderedProfile) ?? false
    }

    /// Returns the largest accepted body of a request with these properties, in bytes.
    func maximumBodySize(of properties: Properties?) -> Int {
        guard !maximumBodySizes.isEmpty, let profile = properties?["Profile"] else { return maximumBodySize }
        return maximumBodySizes[ExactString(profile)] ?? maximumBodySize
    }
}
