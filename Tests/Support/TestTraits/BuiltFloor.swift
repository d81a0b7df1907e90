import Foundation
package import Testing

/// The floors of the package, from the bottom. `FLOOR` is the environment variable with the highest one that is built.
package enum BuiltFloor: String, CaseIterable {
    case engine, sync, library, server, tool

    /// Whether its programs are built.
    var isBuilt: Bool {
        guard let name = ProcessInfo.processInfo.environment["FLOOR"]?.lowercased(), let top = BuiltFloor(rawValue: name) else {
            return true
        }
        return Self.allCases.prefix { $0 != top }.contains(self) || self == top
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test that runs a program of a floor which is not built.
    package static func runsProgram(of floor: BuiltFloor) -> Self {
        .enabled(if: floor.isBuilt, "it runs a program of the floor \(floor), which is not built")
    }
}
