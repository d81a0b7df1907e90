#if Replication
import Base

/// The routes of a port. What is not among them is not served.
struct HubRoutes: Sendable {
    /// The maximum size of a body that no endpoint takes, in bytes.
    static let defaultBodyBytes = 1 << 20

    /// The routes by the number of segments of the path: 0, 1, 2, and more.
    private let routes: [[HubRoute]]

    /// - Parameter routes: All routes. The first one that matches a path is that of the path.
    init(_ routes: [HubRoute]) {
        self.routes = (0...3).map { count in routes.filter { min($0.segmentCount, 3) == count } }
    }

    /// Returns the route of a path, whose decoded segments are given; `nil` if there is none.
    func route(of path: [String]) -> HubRoute? {
        routes[min(path.count, 3)].first { $0.matches(path) }
    }
}
#endif
