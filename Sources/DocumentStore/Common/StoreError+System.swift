import Foundation

extension StoreError {
    /// Converts an error of a file operation on the database at `path`.
    init(_ error: any Error, path: String) {
        switch Self.systemCode(of: error) {
        case EROFS, EACCES, EPERM: self = .readOnlyMedium(path: path)
        case let code?: self = .system(path: path, code: code)
        case nil: self = .system(path: path, code: EIO)
        }
    }

    /// Returns the system's error number, which the file manager wraps into its own errors.
    private static func systemCode(of error: any Error) -> Int32? {
        if let error = error as? POSIXError { return error.code.rawValue }
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(clamping: error.code) }
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error { return systemCode(of: underlying) }
        return CocoaError.Code(rawValue: error.code) == .fileWriteFileExists ? EEXIST : nil
    }
}
