#if Replication
/// Certificate authorities of tests, as PEM with their private keys. The keys are not secret.
enum TestCertificateAuthority {
    /// An authority with an RSA key.
    static let valid = """
        -----BEGIN CERTIFICATE-----
        MIIDJTCCAg2gAwIBAgIUHn+eKRqkk9EXospSv3mJwYU7+w0wDQYJKoZIhvcNAQEL
        BQAwGTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgP
        MjEyMDAxMDEwMDAwMDBaMBkxFzAVBgNVBAMMDlRlc3QgYXV0aG9yaXR5MIIBIjAN
        BgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA2JS2Y/0UOsZB3eabk5XGRYg/emXB
        S2/AHwS8vnv5ixT2kNWVzs7on/I+tMkO4s/MVcsZTWkNO1DIGoZxCFplnkaQe3V8
        r/gVv1ToBO6kkpfQoMn/sB7ynihCZLc9ec5e7bRu6gV7kUUxLN2eliTitx8G51jF
        jDfRbsETbMyUF0se9LNZfAvi80MxmYedgzX9j7S7SywLrmLak4WnqMi6HQDboa/p
        3FzfC8XN5Of/ktNTwnb4V0IWamEUhHQ4iVApXWPcqTV5uUbdmruJOVRYTmq8JAlq
        j5e+urFk8dd81ziujFSHwGIrDAKw6S8vE7O15Jy3eJHSY37znTSpLu2nZQIDAQAB
        o2MwYTAdBgNVHQ4EFgQUkTXWP9nTlJirc8Lcc8DOp6hasQ0wHwYDVR0jBBgwFoAU
        kTXWP9nTlJirc8Lcc8DOp6hasQ0wDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8E
        BAMCAQYwDQYJKoZIhvcNAQELBQADggEBAFnAIL+lquJ/M+t/OuaA+cpmvsSo8aRh
        GHZ035u1SQLnv4IKFW5S/9F0woaTIvJZftkM6SM3Vw6aaPjZPJI+06xdudNGFYjp
        /qxiURzkgra2ZWNqLk4Ww1EL4UsLyjTrtJtiJYmnIeN6YUzCXVPehfnrGl4f6sMB
        /WV+AFPwEN7AW12KFx673erkktEpn7Zqa+hZlxCtZcH2qfTSkYnW9HdMws5HGri8
        9t7dzQSwXRoy0yI8alRqxH01RvOIiy9Vo3Lxpo8VEW+IGUJG3UX90DSiQsBNADOZ
        oIK/KSjMjjqe9LQ+0x1Zc3Km+UBzOgrWJy+G5SJ/pt7Y/EvtUZQX2rA=
        -----END CERTIFICATE-----
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQDYlLZj/RQ6xkHd
        5puTlcZFiD96ZcFLb8AfBLy+e/mLFPaQ1ZXOzuif8j60yQ7iz8xVyxlNaQ07UMga
        hnEIWmWeRpB7dXyv+BW/VOgE7qSSl9Cgyf+wHvKeKEJktz15zl7ttG7qBXuRRTEs
        3Z6WJOK3HwbnWMWMN9FuwRNszJQXSx70s1l8C+LzQzGZh52DNf2PtLtLLAuuYtqT
        haeoyLodANuhr+ncXN8Lxc3k5/+S01PCdvhXQhZqYRSEdDiJUCldY9ypNXm5Rt2a
        u4k5VFhOarwkCWqPl766sWTx13zXOK6MVIfAYisMArDpLy8Ts7XknLd4kdJjfvOd
        NKku7adlAgMBAAECggEALR8oc6LvksIoyVgI3CHVVbmpzfCCqZp92oiEYSQXjIog
        x3J0HEq/rMkNluEXjJnxzoL6gcXr54pwMhSF2pFov+WgJtSGlmu3bi38i8CDQXZH
        FSSYdEMyVVB6apzBfk3IObpAbFmZkZ2qfdgrOMk1AaVBbTPxrkGXzL0FdMKXbNWL
        3fkEUdh7IRX4fGrw9rss+PF+1vORrL1U9I0Q1a94VQF70A+5gpJu5rS1uke747Ef
        z5F0Y6ryFBuhw5UJU7F7HKCjca6CzINVXLXI7kqk6Pw5hfjiqwA7G0bj6DMt4qOs
        tkxyZAQH0DadzvEAnOoPbNICy326Gy88FDy+ebBD0QKBgQDuENrH4vOVSKF6BRTs
        Q/Hht8/PMOEiZCYGLTMs3zV6nMZ7USTt8jsL6q10+qN5IQXQhS7ZGNDkcA6NKkwF
        p7jxTudanJ9P3Qe9NRX9afIjDthUkBnGDMdUc/QS71TgrEfM19rBIsHqWmm+VwS3
        ovZ8ILVNZoXY8w0eeLMwrOzhNQKBgQDo5YRQDXeNCwQVqqYRahZOBiGD3vY2i8Cv
        ol8cCYJ8WRGRGr7TKqBkq0pVpL2nFYD30wwT6r49yyxJdzaHmwaxUjf6PbX+56rN
        WuLsp3XChwv/yWbc6B6CWbbJk/F1sU/xrOESgANDJAH9pWbTG591kZwdTjyZZGt9
        huzAP8QjcQKBgDHaXbZWFGRCnW4L+mGvqMt3zpC4z6yABGZuuLTA2VYf1oCkcXNS
        soLAViqVAf6vp6QO/8x+od/0h1eQb/MPOG9v8orLGaGDy8cXgs9ajFZDGZI7yunq
        ayOIVKhSbhfOfAqteSXQvYLyBArT9izud2dvAgh/W7Ae1bR32i5rR/+xAoGAXCOx
        nRo22g4pp4jD+s/F00iJqepj7mCL8vCCQE1i2l9Cm+3A4TpUCn/aANgUUC4pv+I3
        PQn6Ceh/tPD9GdkzZKPqkY4omph88pGqhYYbCML09FVx5KPQrjFgJ4/oT2+++RY0
        VWVf5Qgx4W+2pn6fL5xT7yQsxWL9Q8RFlimkJ4ECgYAauiRCHL/frLf3CJMRbJJp
        qEaHVkw7v49nL7a5e2ZYYCFb1+sYbFqou7P3vSwGY5viJdoe0X5eacNxuBjlLuVQ
        ZmkhdXwHYgGcs0EXeyol3yheE+UwFLfEb0U60Um/hazMi4dcJ7kAXep/ZJVlyszJ
        P/I9WzHZ7puvVLksrlBQvw==
        -----END PRIVATE KEY-----

        """

    /// An authority with an elliptic key that has expired in 2021.
    static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIBWDCB/6ADAgECAgEBMAoGCCqGSM49BAMCMBwxGjAYBgNVBAMMEUV4cGlyZWQg
        YXV0aG9yaXR5MB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAwMFowHDEaMBgG
        A1UEAwwRRXhwaXJlZCBhdXRob3JpdHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
        AARqKsQE2DISvaboh3vysTxjDKe8hJGSch64rXJUTKmngJToyru0eTtnBD89LMyB
        BKbQiqUGDsXeTw7AMQs1jvQxozIwMDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQW
        BBSLZQBrN7r+WDaoMh/GNxs20Juk+DAKBggqhkjOPQQDAgNIADBFAiEAht7MSfn9
        H7eBmhXTDJNHQ/EnRmEc6MkDFsV4D3PymDgCIGFcVVXJrZZXZ+CX/htLTvUv+QOV
        mXxaapo4/SH3jECJ
        -----END CERTIFICATE-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIGaL2xP8VuaSEQn+HqYGrmY6Rd7gCwP1GEE1rCZUTyvXoAoGCCqGSM49
        AwEHoUQDQgAEairEBNgyEr2m6Id78rE8YwynvISRknIeuK1yVEypp4CU6Mq7tHk7
        ZwQ/PSzMgQSm0IqlBg7F3k8OwDELNY70MQ==
        -----END EC PRIVATE KEY-----

        """
}
#endif
