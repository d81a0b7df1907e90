#if Replication
    import NIOCore
    import NIOPosix

    /// The threads of all connections. They do nothing but move bytes, so few are enough.
    enum EventLoops {
        /// Made when first used; lives as long as the process.
        static let shared: any EventLoopGroup = MultiThreadedEventLoopGroup(numberOfThreads: min(2, System.coreCount))
    }
#endif
