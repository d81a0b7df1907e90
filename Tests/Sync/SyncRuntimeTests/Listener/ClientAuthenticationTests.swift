#if Replication
import Testing

@testable import SyncRuntime

@Suite("Authentication of the clients of listeners")
struct ClientAuthenticationTests {
    @Test("a name and a password are compared byte by byte, without Unicode normalization")
    func bytes() {
        let precomposed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        #expect(precomposed == decomposed)
        let user = ClientAuthentication.user("anna", password: precomposed)
        #expect(accepts(user, "anna", precomposed))
        for (name, password) in [
            ("anna", decomposed), ("anna", ""), ("anna", "caf"), ("anna", precomposed + "x"), ("Anna", precomposed),
            ("", precomposed), ("", ""), ("anna", precomposed + "\0"), ("anna\0", precomposed),
        ] {
            #expect(!accepts(user, name, password), "\(name) \(password)")
        }
        #expect(accepts(.user("", password: ""), "", ""))
    }

    private func accepts(_ authentication: ClientAuthentication, _ username: String, _ password: String) -> Bool {
        guard case .passwords(let areValid) = authentication else { return false }
        return areValid(username, password)
    }
}
#endif
