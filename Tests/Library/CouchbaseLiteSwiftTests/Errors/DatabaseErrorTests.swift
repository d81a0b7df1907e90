import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Catching errors")
struct DatabaseErrorTests {
    struct Oops: Error {}

    private let folder: DatabaseFolder
    private let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
    }

    /// Returns which clause catches the error of `body`.
    private func caught(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "nothing"
        } catch CBLError.notFound {
            return "notFound"
        } catch CBLError.invalidQuery, CBLError.invalidParameter {
            return "invalid"
        } catch {
            return "other"
        }
    }

    @Test("a constant of CBLError catches the errors with its code")
    func patterns() {
        #expect(caught { try database.purgeDocument(withID: "none") } == "notFound")
        #expect(caught { _ = try database.createCollection(name: "a b") } == "invalid")
        #expect(caught { _ = try database.query("SELECT") } == "invalid")
        #expect(caught { throw NSError(domain: CBLError.domain, code: 7) } == "notFound")
        #expect(caught { throw NSError(domain: NSPOSIXErrorDomain, code: 7) } == "other")
        #expect(caught { throw Oops() } == "other")
        #expect(caught { throw CancellationError() } == "other")
    }

    @Test("the parts of an error are its domain, code, name, message, hint and cause")
    func parts() throws {
        let thrown = try #require(#expect(throws: NSError.self) { try database.inBatch { throw Oops() } })
        let error = try #require(DatabaseError(thrown))
        #expect(error.domain == CBLError.domain && error.code == CBLError.unexpectedError && error.name == "unexpectedError")
        #expect(error.message == thrown.localizedDescription && error.hint == "Look at the underlying error.")
        #expect(error.underlyingError is Oops)
        #expect(error.description == "\(thrown)")
    }

    @Test("an error of the operating system has neither a name nor a hint, and an error of the app has no parts")
    func otherErrors() throws {
        let error = try #require(DatabaseError(NSError(domain: NSPOSIXErrorDomain, code: 7)))
        #expect(error.domain == NSPOSIXErrorDomain && error.code == 7)
        #expect(error.name == nil && error.hint == nil && error.underlyingError == nil)
        #expect(DatabaseError(Oops()) == nil)
        #expect(DatabaseError(CancellationError()) == nil)
    }
}
