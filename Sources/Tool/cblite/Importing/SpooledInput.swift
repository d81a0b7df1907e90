import Foundation

/// A copy of an input that can be read only once, such as a pipe. It lies in a temporary file without a name, which ends with the process.
final class SpooledInput {
    private let name: String
    private let descriptor: Int32

    /// Copies what remains of an input.
    ///
    /// - Throws: ``Failure`` if the input cannot be read, or the temporary directory cannot take it.
    init(_ input: InputFile) throws {
        name = input.name
        let directory = NSTemporaryDirectory()
        var path = Array((directory + "cblite-import-XXXXXX").utf8CString)
        descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw Failure.system("write to", directory) }
        unlink(path)
        while let piece = try input.nextPiece() {
            var rest = piece[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Failure.system("write to", directory) }
                rest = rest.dropFirst(count)
            }
        }
    }

    deinit { close(descriptor) }

    /// Opens the copy at its beginning. It may be open several times.
    func open() throws -> InputFile { try InputFile(name: name, reading: descriptor) }
}
