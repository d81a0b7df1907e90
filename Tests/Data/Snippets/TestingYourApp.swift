import CouchbaseLiteSwift
import CouchbaseLiteTestSupport

// program that needs Replication
// block: 2
// block: 3
try await expectPrinted("both are done")
// block: 4
// block: 5

// program that needs Replication
// block: 6
try await expectPrinted("The hub does not serve")
try await expectPrinted("hello")
