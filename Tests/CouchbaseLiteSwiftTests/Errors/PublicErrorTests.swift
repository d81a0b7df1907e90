import DocumentStore
import Fleece
import Testing

@testable import CouchbaseLiteSwift

@Suite("Errors that apps see")
struct PublicErrorTests {
    struct Unknown: Error, CustomStringConvertible {
        let description = "the cat sat on it"
    }

    @Test("are NSError objects, caught as such")
    func caught() {
        do {
            try throwingPublicErrors { throw FleeceError(.badRoot) }
        } catch let error as NSError {
            #expect(error.domain == "CouchbaseLite")
            #expect(error.code == CBLError.corruptData)
            #expect(error.localizedDescription.contains("no valid root"))
        }
    }

    @Test("of encoding have a domain of their own")
    func encoding() {
        #expect(publicError(FleeceError(.notANumber)).domain == "CouchbaseLite.Fleece")
        #expect(publicError(FleeceError(.tooDeep)).localizedDescription.contains("nested deeper"))
    }

    @Test("of the operating system are POSIX errors with what was done and to what")
    func posix() {
        let error = publicError(BlobError(.system(EACCES), action: "open", path: "/x/y"))
        #expect(error.domain == NSPOSIXErrorDomain)
        #expect(error.code == Int(EACCES))
        #expect(error.localizedDescription.contains("Cannot open /x/y"))
        #expect(publicError(BlobError(.notFound, action: "open", path: "/x")).code == CBLError.notFound)
    }

    @Test("of damaged and encrypted blobs are those of damage and of encryption")
    func blobs() {
        for reason in [.cutShort, .notSealed, .damaged] as [BlobError.Reason] {
            let error = publicError(BlobError(reason, action: "read", path: "/x"))
            #expect(error.code == CBLError.corruptData)
            #expect(error.localizedDescription.contains("Cannot read /x: the file "))
        }
        #expect(publicError(BlobError(.notSealable, action: "write to", path: "/x")).code == CBLError.crypto)
    }

    @Test("that nobody knows are unexpected, with the original inside")
    func unknown() {
        let error = publicError(Unknown())
        #expect(error.code == CBLError.unexpectedError)
        #expect(error.localizedDescription == "the cat sat on it")
        #expect(error.userInfo[NSUnderlyingErrorKey] is Unknown)
    }

    @Test("stay the same object when they are NSErrors already")
    func unchanged() {
        let original = NSError(domain: "x", code: 3)
        #expect(publicError(original) === original)
    }

    @Test("keep their old names")
    func oldNames() {
        #expect(CBLErrorDomain == "CouchbaseLite")
        #expect(CBLErrorConflict == 8)
        #expect(CBLErrorHTTPNotFound == 10404)
        #expect(CBLErrorWebSocketCloseUserPermanent == 14002)
    }
}
