import CouchbaseLiteSwift

// program
// block: 1
try await expectPrinted("El Alto")
