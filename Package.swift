// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled in Swift 6 mode, with the upcoming features on and warnings treated as errors.
/// Deprecated declarations stay warnings: the old spellings of the API are deprecated on purpose, and the tests use them.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
    .treatWarning("DeprecatedDeclaration", as: .warning),
]

let package = Package(
    name: "CouchbaseLiteSwift",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18)],
    products: [
        .library(name: "CouchbaseLiteSwift", targets: ["CouchbaseLiteSwift"])
    ],
    targets: [
        .systemLibrary(
            name: "CSQLiteSystem",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(name: "Fleece", swiftSettings: swiftSettings),
        .target(name: "SQLiteEngine", dependencies: ["CSQLiteSystem"], swiftSettings: swiftSettings),
        .target(name: "DocumentStore", dependencies: ["Fleece", "SQLiteEngine"], swiftSettings: swiftSettings),
        .target(
            name: "QueryEngine",
            dependencies: ["Fleece", "SQLiteEngine", "DocumentStore"],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "CouchbaseLiteSwift",
            dependencies: ["Fleece", "DocumentStore", "QueryEngine"],
            swiftSettings: swiftSettings
        ),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: swiftSettings),
        .testTarget(name: "FleeceTests", dependencies: ["Fleece", "TestSupport"], swiftSettings: swiftSettings),
        .testTarget(
            name: "SQLiteEngineTests",
            dependencies: ["SQLiteEngine", "TestSupport"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "QueryEngineTests",
            dependencies: ["QueryEngine", "TestSupport"],
            swiftSettings: swiftSettings
        ),
    ]
)
