#if Replication
    import Testing

    @testable import CouchbaseLiteSwift

    @Suite("Passwords of listeners")
    struct ListenerAuthenticatorTests {
        @Test("are compared by their bytes: what only looks alike lets nobody in")
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

        @Test("the memory of all replications can be set, and has a default")
        func memory() {
            #expect(ReplicationLimits.memory == ReplicationLimits.defaultMemory)
            #expect(ReplicationLimits.defaultMemory == 256 << 20)
        }
    }
#endif
