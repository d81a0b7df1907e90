package import Foundation
import TestSupport
package import Testing

/// The databases of ``Fixtures``, for tests that are skipped if they are missing.
package enum RealDatabase {
    /// Returns the bundle of a name. Copy it before opening it. If it is missing, the test or test case is skipped with a message.
    package static func url(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> URL {
        if let url = try Fixtures.database(name) { return url }
        let reason = "no \(name).cblite2 in the folder that \(Fixtures.samplesVariable) names"
        // A skipped case of a test with several cases is not reported otherwise; `script/test` counts these lines.
        print("skipped: \(reason)")
        #if compiler(>=6.3)
        try Test.cancel(Comment(rawValue: reason), sourceLocation: sourceLocation)
        #else
        // Earlier versions cannot skip a running test.
        throw MissingSample(description: reason)
        #endif
    }
}

#if compiler(<6.3)
private struct MissingSample: Error {
    let description: String
}
#endif
