import Testing

@testable import SQLiteEngine

@Suite("The version of the SQLite library")
struct LibraryVersionTests {
    @Test("a library that is too old is refused with both versions")
    func tooOld() throws {
        let error = try sqliteError { try SQLiteLibrary.checkVersion(3_039_005) }
        #expect(error.message == "SQLite 3.39.5 is too old; version 3.40.0 or newer is required")
    }

    @Test(
        "the oldest supported library, newer ones and that of the tests are accepted",
        arguments: [3_040_000, 3_053_004, SQLiteLibrary.version]
    )
    func supported(version: Int) throws {
        try SQLiteLibrary.checkVersion(version)
    }
}
