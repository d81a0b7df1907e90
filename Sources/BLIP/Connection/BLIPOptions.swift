package import ExactStrings

/// How a connection sends, and how much it lets a peer ask for.
package struct BLIPOptions: Sendable {
    /// How hard to compress at most, from 1 to 9; 0 compresses nothing. Compressed frames are received in any case.
    package var compressionLevel = 6

    /// The longest block of properties to take, in bytes. Stock peers have the same limit (Replication 2.4).
    package var maximumPropertiesSize = 102_400

    /// The longest body to take, in bytes. A longer request is read over and handed out without its body, see
    /// ``IncomingRequest/isTooLarge``; a longer response ends the connection. Responses that are delivered in parts may be longer.
    package var maximumBodySize = 4 << 20

    /// The longest bodies of requests that have limits of their own, in bytes, by the value of their property `Profile`.
    package var maximumBodySizes: [ExactString: Int] = [:]

    /// How many requests may have begun and not ended.
    package var maximumUnfinishedRequests = 4000

    /// How many requests may be open: complete and not answered, or answered while the answer has not been sent. It protects from peers
    /// that only ask. Stock peers have as many open as fit into 2 MiB.
    package var maximumOpenRequests = 50_000

    /// What all messages that have begun and not ended may take together, in bytes.
    package var maximumUnfinishedSize = 256 << 20

    /// What a frame may decompress to, in bytes. A legal frame of 16 KiB reaches 16.2 MiB at most (Replication 2.6). It is decompressed in
    /// pieces of 64 KiB.
    package var maximumInflatedFrameSize = 20 << 20

    /// From so many bytes of answers on that wait to be sent, in memory, requests are not handled any more; from half of them on they are
    /// again.
    package var maximumQueuedAnswerSize = 1 << 20

    /// What the connection may hold in memory at a time, in bytes: of messages that come, of requests that are not answered, and of what waits
    /// to be sent. From half of it on only the oldest of the requests that have begun is acknowledged, so that the peer finishes one after the
    /// other. By default 96 MiB, which leaves room for two documents of 20 MB.
    package var maximumMemory = 96 << 20

    /// How often the body of a message counts in that: by default twice, for what it is parsed into.
    package var bodyCost = 2

    /// What the connection shares with all others of the process.
    package var memoryBudget = MemoryBudget.shared

    package init() {}

    /// The longest body of a request with these properties.
    func maximumBodySize(of properties: Properties?) -> Int {
        guard !maximumBodySizes.isEmpty, let profile = properties?["Profile"] else { return maximumBodySize }
        return maximumBodySizes[ExactString(profile)] ?? maximumBodySize
    }
}
