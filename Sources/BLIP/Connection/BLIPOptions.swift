/// How a connection sends, and how much it lets a peer ask for.
package struct BLIPOptions: Sendable {
    /// How hard to compress at most, from 1 to 9; 0 compresses nothing. Compressed frames are received in any case.
    package var compressionLevel = 6

    /// The longest block of properties to take, in bytes. Stock peers have the same limit (Replication 2.4).
    package var maximumPropertiesSize = 102_400

    /// The longest body to take, in bytes. Responses that are delivered in parts may be longer.
    package var maximumBodySize = 128 << 20

    /// How many requests may have begun and not ended.
    package var maximumUnfinishedRequests = 4000

    /// How many requests may be open: complete and not answered, or answered while the answer has not been sent. It protects from peers
    /// that only ask. Stock peers have as many open as fit into 2 MiB.
    package var maximumOpenRequests = 50_000

    /// What all messages that have begun and not ended may take together, in bytes.
    package var maximumUnfinishedSize = 256 << 20

    /// What a frame may decompress to, in bytes. A legal frame of 16 KiB reaches 16.2 MiB at most (Replication 2.6).
    package var maximumInflatedFrameSize = 20 << 20

    package init() {}
}
