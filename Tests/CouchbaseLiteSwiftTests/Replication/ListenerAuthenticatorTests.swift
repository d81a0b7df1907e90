#if Replication
import Testing

@testable import CouchbaseLiteSwift

@Suite("Password authenticators of listeners")
struct ListenerAuthenticatorTests {
    @Test("a password authenticator compares names and passwords byte by byte, without Unicode normalization")
    func bytes() {
        let precomposed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        #expect(precomposed == decomposed)
        let authenticator = ListenerPasswordAuthenticator(username: "anna", password: precomposed)
        #expect(authenticator.delegate("anna", precomposed))
        for (name, password) in [
            ("anna", decomposed), ("anna", ""), ("anna", "caf"), ("anna", precomposed + "x"), ("Anna", precomposed),
            ("", precomposed), ("", ""), ("anna", precomposed + "\0"), ("anna\0", precomposed),
        ] {
            #expect(!authenticator.delegate(name, password), "\(name) \(password)")
        }
        #expect(ListenerPasswordAuthenticator(username: "", password: "").delegate("", ""))
    }

    @Test("the memory limit of all replications has a default of 256 MiB")
    func memory() {
        #expect(ReplicationLimits.memory == ReplicationLimits.defaultMemory)
        #expect(ReplicationLimits.defaultMemory == 256 << 20)
    }
}
#endif
