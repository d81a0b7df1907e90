internal import CSQLiteSystem

/// The library that this process uses, which may be newer than the one that the code was compiled with.
package enum SQLiteLibrary {
    /// The version, such as 3,043,002 for 3.43.2.
    package static let version = Int(sqlite3_libversion_number())
}
