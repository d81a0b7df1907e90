import DatabaseRuntime
import DocumentStore
import Fleece
import Foundation
import QueryLanguage
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Public errors")
struct PublicErrorTests {
    struct Unknown: Error, CustomStringConvertible {
        let description = "the cat sat on it"
    }

    @Test("errors are thrown as NSError objects")
    func caught() {
        do {
            try throwingPublicErrors { throw FleeceError(.badRoot) }
        } catch let error as NSError {
            #expect(error.domain == "CouchbaseLite")
            #expect(error.code == CBLError.corruptData)
            #expect(error.localizedDescription.contains("no valid root"))
        }
    }

    @Test("encoding errors have a domain of their own")
    func encoding() {
        #expect(publicError(FleeceError(.notANumber)).domain == "CouchbaseLite.Fleece")
        #expect(publicError(FleeceError(.tooDeep)).localizedDescription.contains("nested deeper"))
    }

    @Test("errors of the operating system are POSIX errors with the failed action and path")
    func posix() {
        let error = publicError(BlobError(.system(EACCES), action: "open", path: "/x/y"))
        #expect(error.domain == NSPOSIXErrorDomain)
        #expect(error.code == Int(EACCES))
        #expect(error.localizedDescription.contains("Cannot open /x/y"))
        #expect(publicError(BlobError(.notFound, action: "open", path: "/x")).code == CBLError.notFound)
    }

    @Test("errors of damaged, of huge and of encrypted blobs are corruptData, memoryError and crypto")
    func blobs() {
        for reason in [.cutShort, .notSealed, .damaged] as [BlobError.Reason] {
            let error = publicError(BlobError(reason, action: "read", path: "/x"))
            #expect(error.code == CBLError.corruptData)
            #expect(error.localizedDescription.contains("Cannot read /x: the file "))
        }
        #expect(publicError(BlobError(.tooLarge, action: "read", path: "/x")).code == CBLError.memoryError)
        #expect(publicError(BlobError(.notSealable, action: "write to", path: "/x")).code == CBLError.crypto)
    }

    @Test("unknown errors are unexpected errors with the original as underlying error")
    func unknown() {
        let error = publicError(Unknown())
        #expect(error.code == CBLError.unexpectedError)
        #expect(error.localizedDescription == "the cat sat on it")
        #expect(error.userInfo[NSUnderlyingErrorKey] is Unknown)
    }

    @Test("an NSError is passed through unchanged")
    func unchanged() {
        let original = NSError(domain: "x", code: 3)
        #expect(publicError(original) === original)
    }

    @Test("a printed error is one line with the domain, the name and number of the code, and the text")
    func printed() {
        let missing = publicError(StoreError.missing(path: "/x/travel.cblite2"))
        #expect("\(missing)" == "CouchbaseLite.notFound (7): there is no database at /x/travel.cblite2")
        #expect(missing.localizedDescription == "there is no database at /x/travel.cblite2")
        let closed = publicError(StoreError.notOpen(what: "database \"travel\""))
        #expect("\(closed)".hasPrefix("CouchbaseLite.notOpen (6): Attempt to perform"))
        #expect("\(closed)".hasSuffix(" (database \"travel\" is closed or has been deleted)"))
        let file = publicError(BlobError(.system(EACCES), action: "open", path: "/x/y"))
        #expect("\(file)" == "NSPOSIXErrorDomain (\(EACCES)): \(file.localizedDescription)")
        #expect("\(LibraryError(5015, "a\r\nb\nc"))" == "CouchbaseLite (5015): a b c")
    }

    @Test("a printed syntax error is followed by the line of the query and a mark")
    func printedQuery() throws {
        let error = try #require(#expect(throws: QueryError.self) { try SQLPlusPlus.parse("SELECT x FROM") })
        let text = "SQL++ syntax error near character 14: expected the name of a collection, but the text ends"
        #expect("\(publicError(error))" == "CouchbaseLite.invalidQuery (23): \(text)\nSELECT x FROM\n             ^")
    }

    @Test("an error is equal to a plain NSError")
    func equal() {
        let error = LibraryError(CBLError.notFound, "x")
        #expect(error == NSError(domain: "CouchbaseLite", code: 7, userInfo: [NSLocalizedDescriptionKey: "x"]))
    }

    @Test("error constants are available under their old names")
    func oldNames() {
        #expect(CBLErrorDomain == "CouchbaseLite")
        #expect(CBLErrorConflict == 8)
        #expect(CBLErrorHTTPNotFound == 10404)
        #expect(CBLErrorWebSocketCloseUserPermanent == 14002)
    }
}
