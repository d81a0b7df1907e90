// swift-tools-version: 6.2
import PackageDescription

/// The same rules as for the library: Swift 6 mode, the upcoming features, warnings as errors.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// A package of its own, so that the library carries nothing of it. It sees the library as an application does.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "CouchbaseLiteSwift", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(name: "Floor", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "cbl-bench",
            dependencies: [
                "Floor",
                .product(name: "CouchbaseLiteSwift", package: "CouchbaseLiteSwift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            resources: [.copy("words.txt")],
            swiftSettings: swiftSettings
        ),
    ]
)
