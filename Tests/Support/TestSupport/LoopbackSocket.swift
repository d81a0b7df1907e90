import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Sockets of this machine, for clients and servers that send exactly the bytes that a test wants.
package enum LoopbackSocket {
    #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
    private static let stream = SOCK_STREAM
    #endif

    /// The error number of a call that failed.
    package struct Failure: Error {
        package let code = errno
    }

    /// Returns the descriptor of a socket that is connected to a port. The caller must close it.
    ///
    /// - Parameters:
    ///   - receiveBuffer: The size in bytes of the operating system's buffer for received bytes; `nil` for the default.
    ///   - receiveTimeout: The time in seconds after which a call that receives fails, so that a test ends if the server does not answer;
    ///     0 for no limit.
    /// - Throws: ``Failure``.
    package static func connected(to port: Int, receiveBuffer: Int32? = nil, receiveTimeout: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw Failure() }
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size)) }
        var address = address(port: port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let failure = Failure()
            close(descriptor)
            throw failure
        }
        var limit = timeval(tv_sec: receiveTimeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }

    /// Returns the descriptor of a socket that listens, and its port, which the operating system chooses. The caller must close it.
    ///
    /// - Parameter backlog: The number of connections that may wait to be accepted. Linux lets one more wait.
    /// - Throws: ``Failure``.
    package static func listening(backlog: Int32) throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw Failure() }
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let result = bind(descriptor, address, length)
                return result == 0 ? getsockname(descriptor, address, &length) : result
            }
        }
        guard result == 0, listen(descriptor, backlog) == 0 else {
            let failure = Failure()
            close(descriptor)
            throw failure
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }
}
