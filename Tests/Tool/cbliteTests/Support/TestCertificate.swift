/// Self-signed certificates for tests. The private key is not secret.
enum TestCertificate {
    /// The certificate of a server, with its private key.
    static let identity = """
        -----BEGIN CERTIFICATE-----
        MIIBeDCCAR2gAwIBAgIUPLe3X6mplTj83H/0JrEQXUQj8fAwCgYIKoZIzj0EAwIw
        EDEOMAwGA1UEAwwFb3RoZXIwIBcNMjYxMTIyMTQwODExWhgPMjEyNjEwMjkxNDA4
        MTFaMBAxDjAMBgNVBAMMBW90aGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        020HpxZYlpsugxsluvoeUcZHsbQ6CQ30gKuRDAgdAMrkD4d0rLplLBpbzSSKCBjQ
        4dc2aYGXfZd6qhFjhf8+6qNTMFEwHQYDVR0OBBYEFGRzeKxwTrN2L40v9G3UUE4g
        L5F/MB8GA1UdIwQYMBaAFGRzeKxwTrN2L40v9G3UUE4gL5F/MA8GA1UdEwEB/wQF
        MAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAKSTXcZO3NlPOCqrPJxhzr/K/UXsnMLw
        0Koj3SiATvaCAiEA7v1l+hMm2+LzX9YJHJMTzoQEWTgYjnl3TibYb+DZcQg=
        -----END CERTIFICATE-----
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgccfgKCJEGz5YyV0e
        TJFLEiBIxQsGj8mBt4D+Lqfe04uhRANCAATTbQenFliWmy6DGyW6+h5RxkextDoJ
        DfSAq5EMCB0AyuQPh3SsumUsGlvNJIoIGNDh1zZpgZd9l3qqEWOF/z7q
        -----END PRIVATE KEY-----

        """

    /// The two parts of ``identity``.
    static var certificate: String { String(identity.prefix(upTo: keyStart)) }
    static var key: String { String(identity.suffix(from: keyStart)) }

    private static var keyStart: String.Index { identity.firstRange(of: "-----BEGIN PRIVATE")?.lowerBound ?? identity.endIndex }

    /// The certificate of another server.
    static let stranger = """
        -----BEGIN CERTIFICATE-----
        MIIBfTCCASOgAwIBAgIUBGDnn94J1NGr8KMSlR9YTahg9y4wCgYIKoZIzj0EAwIw
        EzERMA8GA1UEAwwIc3RyYW5nZXIwIBcNMjYxMTIyMTQwOTA1WhgPMjEyNjEwMjkx
        NDA5MDVaMBMxETAPBgNVBAMMCHN0cmFuZ2VyMFkwEwYHKoZIzj0CAQYIKoZIzj0D
        AQcDQgAETQ4FU+4LtFRL1MEvgwidZVsnyTEA29HZptBIN8qB9lRbwHBjRbpDieOd
        Tl37SRC9vpgzy1E2bpsgX+PzTh4oK6NTMFEwHQYDVR0OBBYEFPGlDncNE/oBs89C
        bhrTQN92GidIMB8GA1UdIwQYMBaAFPGlDncNE/oBs89CbhrTQN92GidIMA8GA1Ud
        EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgExnFfMSSTWGatiQX0bNOBA6C
        xD4wlJqFwidiHjt6PSkCIQDdp0W3jrr1YA48p0lbmC7J0Tq3OIalm/l2TqjAfhnn
        gg==
        -----END CERTIFICATE-----

        """
}
