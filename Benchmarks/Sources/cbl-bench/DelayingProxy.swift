import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Stands between a client and a server on this machine, and hands on what either sends a while later: a long way without a network.
///
/// Bytes keep their order, and as many may be under way as the way is long.
final class DelayingProxy: Sendable {
    /// What has come from one side and waits for its time.
    private struct Parcel {
        let due: ContinuousClock.Instant
        let bytes: [UInt8]
    }

    /// The port the proxy listens at.
    let port: UInt16
    private let listening: Int32
    private let target: UInt16
    private let delay: Duration
    private let connections = Mutex<[Int32]>([])

    init(to target: UInt16, oneWay delay: Duration) throws {
        self.target = target
        self.delay = delay
        let listening = socket(AF_INET, Self.stream, 0)
        self.listening = listening
        var address = Self.address(port: 0)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listening, $0, Self.addressSize) == 0 }
        }
        var size = Self.addressSize
        let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listening, $0, &size) == 0 }
        }
        guard isBound, isNamed, listen(listening, 4) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in accept() }
    }

    func stop() {
        for descriptor in connections.withLock({ $0 }) + [listening] { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    private func accept() {
        while true {
            #if canImport(Glibc)
            let client = Glibc.accept(listening, nil, nil)
            #else
            let client = Darwin.accept(listening, nil, nil)
            #endif
            guard client >= 0 else { return }
            let server = socket(AF_INET, Self.stream, 0)
            var address = Self.address(port: target)
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(server, $0, Self.addressSize) == 0 }
            }
            connections.withLock { $0 += [client, server] }
            guard isConnected else { continue }
            for descriptor in [client, server] {
                var on: Int32 = 1
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            }
            carry(from: client, to: server)
            carry(from: server, to: client)
        }
    }

    private func carry(from source: Int32, to destination: Int32) {
        let line = Line()
        Thread.detachNewThread { [delay] in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let size = read(source, &buffer, buffer.count)
                line.add(Parcel(due: .now + delay, bytes: size > 0 ? Array(buffer[..<size]) : []))
                if size <= 0 { return }
            }
        }
        Thread.detachNewThread {
            while true {
                let parcel = line.next()
                let wait = parcel.due - .now
                if wait > .zero { Thread.sleep(forTimeInterval: wait / .seconds(1)) }
                guard !parcel.bytes.isEmpty else { break }
                var sent = 0
                while sent < parcel.bytes.count {
                    let size = parcel.bytes.withUnsafeBytes {
                        write(destination, $0.baseAddress?.advanced(by: sent), parcel.bytes.count - sent)
                    }
                    guard size > 0 else { break }
                    sent += size
                }
            }
            shutdown(destination, Int32(SHUT_WR))
        }
    }

    /// Parcels in the order they came, handed from one thread to another.
    private final class Line: Sendable {
        private let parcels = Mutex<[Parcel]>([])
        private let count = DispatchSemaphore(value: 0)

        func add(_ parcel: Parcel) {
            parcels.withLock { $0.append(parcel) }
            count.signal()
        }

        func next() -> Parcel {
            count.wait()
            return parcels.withLock { $0.removeFirst() }
        }
    }

    private static let addressSize = socklen_t(MemoryLayout<sockaddr_in>.size)

    private static var stream: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue)
        #else
        SOCK_STREAM
        #endif
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }
}
