package import Foundation
import TestSupport
package import Testing

/// The databases of ``Fixtures``, for tests that are skipped without them.
package enum RealDatabase {
    /// The bundle of that name. Copy it before opening it. Without it the test, or the case of it, is skipped, and says so.
    package static func url(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> URL {
        if let url = try Fixtures.database(name) { return url }
        let reason = "no \(name).cblite2 in the folder that \(Fixtures.samplesVariable) names"
        // One of several cases of a test is skipped without a word; `script/test` counts these lines.
        print("skipped: \(reason)")
        #if compiler(>=6.3)
        try Test.cancel(Comment(rawValue: reason), sourceLocation: sourceLocation)
        #else
        // Before, a test that runs could not be skipped any more.
        throw MissingSample(description: reason)
        #endif
    }
}

#if compiler(<6.3)
private struct MissingSample: Error {
    let description: String
}
#endif
