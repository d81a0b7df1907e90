public import Foundation

// Foundation bridges these types of CoreFoundation to its own, which have the same conversions with `as` on Linux.
public typealias CFTypeRef = AnyObject
public typealias CFAllocator = NSObject
public typealias CFArray = NSArray
public typealias CFData = NSData
public typealias CFString = NSString
public typealias CFIndex = Int

open class CFError: NSObject {}
public func CFErrorGetCode(_ error: CFError!) -> CFIndex { fatalError() }

public typealias OSStatus = Int32
public var errSecSuccess: OSStatus { 0 }
public var errSecCreateChainFailed: OSStatus { -25318 }
public var errSecHostNameMismatch: OSStatus { -67602 }
public var errSecCertificateExpired: OSStatus { -67818 }
public var errSecCertificateNotValidYet: OSStatus { -67819 }
public var errSecNotTrusted: OSStatus { -67843 }

// No documentation says that it is `Sendable`.
public class SecCertificate: Hashable {
    public static func == (left: SecCertificate, right: SecCertificate) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) { fatalError() }
}

@available(*, unavailable) extension SecCertificate: @unchecked Sendable {}

public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { fatalError() }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { fatalError() }

public class SecPolicy {}
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy { fatalError() }

public class SecTrust {}
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef,
    _ policies: CFTypeRef?,
    _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus { fatalError() }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { fatalError() }
