/// Records the error of code of the app that is called by code of the library, so that it can be thrown unchanged while errors of the library
/// are converted.
package struct AppErrors {
    /// The last error of the app; `nil` if there was none.
    package private(set) var thrown: (any Error)?

    package init() {}

    /// Calls code of the app.
    package mutating func record<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            thrown = error
            throw error
        }
    }
}
