// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Notes",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "notes", targets: ["notes"])],
    dependencies: [
        .package(name: "couchbase-lite-swift", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "notes",
            dependencies: [
                .product(name: "CouchbaseLiteSwift", package: "couchbase-lite-swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error), .define("SYNC")]
        ),
        // The app a year later.
        .executableTarget(
            name: "notes2",
            dependencies: [
                .product(name: "CouchbaseLiteSwift", package: "couchbase-lite-swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error), .define("SYNC")]
        ),
    ]
)
