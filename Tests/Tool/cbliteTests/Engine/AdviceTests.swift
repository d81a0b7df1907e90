import CouchbaseLiteSwift
import DocumentStore
import Foundation
import SQLiteEngine
import Testing

@testable import cblite

@Suite("Hints of errors")
struct AdviceTests {
    private func error(_ code: Int, domain: String = CBLError.domain) -> NSError {
        NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: "m"])
    }

    @Test("an error of the library has the hint of the library, unless that is about functions of the API")
    func library() throws {
        for code in Array(1...30) + Array(5001...5012) + Array(10_401...10_503) + Array(11_001...11_011) + [14_001, 17_001] {
            let hint = Advice.hint(error(code))
            let ofLibrary = try #require(DatabaseError(error(code))).hint
            if hint != ofLibrary { #expect(hint?.contains(/Database\.|Type\.|Settings|closure|object|stream/) != true, "\(code)") }
        }
        for code in [CBLError.badDocID, CBLError.wrongFormat, CBLError.crypto, CBLError.httpEntityTooLarge, CBLError.webSocketGoingAway] {
            let failure = try #require(Failure(error(code)))
            #expect(failure.hint != nil && failure.hint == DatabaseError(error(code))?.hint, "\(code)")
        }
    }

    @Test("where the library names its API, the hint names a command or an option of the tool")
    func tool() throws {
        for (code, part) in [
            (CBLError.busy, "--busy-timeout"), (CBLError.corruptData, "cblite check"), (CBLError.missingIndex, "cblite index create"),
            (CBLError.invalidQueryParam, "--param"), (CBLError.databaseTooOld, "cblite compact"), (CBLError.databaseTooNew, "this tool"),
        ] {
            #expect(try #require(Failure(error(code)).flatMap(\.hint)).contains(part), "\(code)")
        }
        #expect(Failure(error(CBLError.invalidQuery))?.hint == nil)
    }

    @Test("errors of the layers below the API have the hints of their codes")
    func engine() throws {
        let busy = Advice.hint(code: CBLError.busy)
        #expect(busy != nil && Failure(StoreError.locked(path: "p"))?.hint == busy)
        #expect(Failure(SQLiteError(extendedCode: 5, message: "m"))?.hint == busy)
        #expect(Failure(StoreError.tooNew(path: "p", version: 1))?.hint == Advice.hint(code: CBLError.databaseTooNew))
        #expect(Failure(StoreError.encrypted(path: "p"))?.hint?.contains("--password-file") == true)
        #expect(Failure(StoreError.wrongKey(path: "p"))?.hint == DatabaseError(error(CBLError.unreadableDatabase))?.hint)
        #expect(Failure(StoreError.notADatabase(path: "p"))?.hint == nil)
        #expect(Failure(error(Int(ENOSPC), domain: NSPOSIXErrorDomain))?.hint == "Free disk space.")
        #expect(Failure(StoreError.system(path: "p", code: ENOSPC))?.hint == "Free disk space.")
        #expect(Failure(SQLiteError(extendedCode: 13, message: "m"))?.hint == "Free disk space.")
        #expect(Failure(StoreError.missing(path: "p"))?.hint?.contains("cblite import --create") == true)
    }
}
