// swift-tools-version: 6.2
import PackageDescription

/// The smallest app, and the same without this library, for measuring what the library adds: see script/lib/app_size.py. With the environment
/// variable APP_WITHOUT_REPLICATION, it is an app that does not synchronize.
let traits: Set<Package.Dependency.Trait> = Context.environment["APP_WITHOUT_REPLICATION"] == nil ? [.defaults] : []

let package = Package(
    name: "App",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "CouchbaseLiteSwift", path: "../..", traits: traits)],
    targets: [
        .executableTarget(name: "hello"),
        .executableTarget(
            name: "app",
            dependencies: [.product(name: "CouchbaseLiteSwift", package: "CouchbaseLiteSwift")]
        ),
    ]
)
