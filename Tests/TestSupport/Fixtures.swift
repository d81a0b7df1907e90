package import Foundation

/// Where the tests find what lies outside the package.
///
/// The folder `shared` stands beside the checkout on the project's own machines and in CI. A user's clone does not have
/// it: tests that need it are disabled there, with a line that says so.
package enum Fixtures {
    /// The root of the package.
    package static let packageRoot = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder with specifications, real databases and independent checkers.
    package static let shared = packageRoot.deletingLastPathComponent().appendingPathComponent("shared")

    /// Whether the shared folder is there.
    package static let areAvailable = FileManager.default.fileExists(
        atPath: shared.appendingPathComponent("fixtures").path
    )

    /// The path of a real database bundle, say `"travel-sample"`. Copy it before opening it for writing.
    package static func database(_ name: String) -> URL {
        shared.appendingPathComponent("fixtures/databases/\(name).cblite2")
    }
}
