import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

/// The environment of the samples: a database, and the guide's data set.
final class DeprecatedFolder: Sendable {
    private let folder: DatabaseFolder

    init() throws {
        folder = try DatabaseFolder()
    }

    var path: String { folder.path }
    var config: DatabaseConfiguration { folder.config }

    func database(_ name: String = "my-database") throws -> Database {
        try folder.open(name)
    }

    /// A copy of the guide's data set, with some documents that the samples use and the data set does not contain.
    func travelSample() throws -> Database {
        _ = try folder.directory.copy(RealDatabase.url("travel-sample"))
        let database = try folder.open("travel-sample")
        try database.inBatch {
            for (id, properties) in Self.additions {
                try database.saveDocument(MutableDocument(id: id, data: properties))
            }
        }
        return database
    }

    private static var additions: [String: [String: Any]] {
        [
            "landmark_1": ["type": "landmark", "name": "Royal Engineers Museum", "country": "United Kingdom"],
            "landmark_2": ["type": "landmark", "name": "Engine House", "country": "United Kingdom"],
            "landmark_3": ["type": "landmark", "name": "Castle", "country": "United Kingdom"],
            "airline_1": ["type": "airline", "name": "Air Baltic", "callsign": "AIRBALTIC"],
            "airline_2": ["type": "airline", "name": "Ryanair", "callsign": "RYANAIR"],
            "route_1": [
                "type": "route", "airline": "BT", "airlineid": "airline_1", "sourceairport": "RIX",
                "destinationairport": "AMS", "stops": 0,
            ],
            "route_2": [
                "type": "route", "airline": "FR", "airlineid": "airline_2", "sourceairport": "RIX",
                "destinationairport": "STN", "stops": 0,
            ],
            "route_3": [
                "type": "route", "airline": "FR", "airlineid": "airline_2", "sourceairport": "DUB",
                "destinationairport": "STN", "stops": 0,
            ],
        ]
    }
}
