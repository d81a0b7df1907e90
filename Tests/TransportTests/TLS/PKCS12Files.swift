#if Replication
    import Foundation

    /// Files of PKCS#12 as OpenSSL writes them.
    enum PKCS12Files {
        /// An RSA key and its certificate, encrypted as OpenSSL 3 does; the password is `geheim`.
        static let rsa = bytes(
            """
            MIIJ/wIBAzCCCbUGCSqGSIb3DQEHAaCCCaYEggmiMIIJnjCCBBIGCSqGSIb3DQEHBqCCBAMwggP/AgEAMIID+AYJKoZIhvcNAQcB
            MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAg4+L/QbyXeiwICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEP2f
            eqG6tmTD+eb6WaXqkOOAggOQqAoaNSZTNRfA5yg2Uho/JsjqM1xE4wlbd3sNlwe+nMNGv6gdwVfZCxTysahWPgDJT/pRgXSn/T+l
            EdEq3W9PsH942RqJtZKVMVBDEe9VPb+o7uwQ57ODjjfdRdJKk4kHOiIA3nGcGwxepHn6gvjmIE5s48Y7ZjbEOX9tKcVbfdcKGxBP
            ifgDBkS/P+jbOH/PS4EJcxKmsYEmmBMm4zVzP/U7OUHeFt8sHHzPYy+/UkKctworo1OxbaFjvpdAiG7J7Uv7HJ20ELuehYKJwklB
            Fykpvjdl65seSEPUZZdQdbb89KmfBLBZJRCvfr2br4ur7O7R3lC/bxNdLLrbJHoQ2xB9dXj1GBJaxnAw3FjXexkaU7pp+wgZ0MLS
            djY2gGYyZb4OhJ1ejApUHrs10SM2JhnT8BBE0Tm1qrkdahgkTkMPhGekNOg5vZfKSb0OKArOvAondFIHGoAs1yshZGBqp7xnyDEv
            Rbk1DLnHEVGkUUNlzKhY12QpY1hC3E+n1/0vEhQcmyCAfqJFIowF+DB71228ZygELeNa55oaQ61hLt5luHGfCByfyv7t+dno6xYg
            vnddjpZGXPF+XRGKG7Ruy6MQzb4LF18c/KNP5AM6Pvy4saVMOP9bz61GM+0KARgzH3nleKI7kEKSPdHdq0hKCFilZH+YPLSLdT24
            k79kVEyflJqk/Qcvlye2Yl1yzkQtdx/Gbpo716sy2aaLS5b22JD1WvO6eorNxBKRXe4zS2e58QjOUXcmxSS7a2SlzNPOeOYoOvV7
            a6UO/jOoxm36/+tOz6e967JpMJwA0h1gg0Pl7zwvZyHw3TazOSclI8SC7fZwJh4Ex9XC0XUt+6FDheJOry+vPtzW77yTc9O7h8un
            ROFTSTJg5fO3SyGNTE6AKnoQNfoFQtqMF8H+QxljEleJ3lTxgA8dZL232IoKYhz/bCRuQ2MLeG45Uh9Hj3uKjv0wbT/NdLdkbJ5n
            RDtKMn23sB/144M5qQHfCbgpxWIVP9Rro+hPKHGwfpEF663rq+7JCbnZzjpGj1LKMxiwW0Kh0AT1FqLCcT2aMEDqy2FxWzBnY1ua
            KsuhEFqk2GP4Jp6ib5mWDSHAlsr+ZNr8w5Y0Gh4606Ia0xUNlpSb6wmzw60wyZ6bShlt6N9wFYv1EatrjtQZ6GNs0HfHOVKeE243
            c4ZJ0qH8cY02btXoqqSwnbRcgMWP5iaW15oUebnpMIIFhAYJKoZIhvcNAQcBoIIFdQSCBXEwggVtMIIFaQYLKoZIhvcNAQwKAQKg
            ggUxMIIFLTBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQI8H3Epc6D+3sCAggAMAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUD
            BAEqBBD8NWmWv2YXXCnEt1DDuu5QBIIE0EkKHQmLJGhp3890v+ODI9CnV9m24uhgbKWW3iyGs2Rr4vsDyjG2ziDCGieS3X5f0KtT
            5MM+l9MNSBfBhFnV/STCPKg3uCy0kNXWHlSuOCdkrdcQQdyaWk03WO4NosJ+ULv6GJF/oo1KWc4Oc9oTdKIk0OhYjDLHMSIe9fV1
            6C7DRHXRph4JUf4x995jeGPL0pxKx0OwVLTwFhVoiGZDGS/oU9uwKVPM8sk4eJTATbKMyR/rRE9vlI1SCaBgU0jJoE8JeB9hdcxk
            C2+2gq0FvvINy2OPiBDAM8nn4VpIifVrX+wEw8JGNJi4LYd08yCcTIMi0NH+XF9sB7VWpP3H+OyIbUHbhZ5dw2PK4KrncV8VcysM
            AlrNcs3LWXJJfc7bp18Gdn5Eb4d1qbqDdIf6ct7TKyc/K38nf5OuCpzaZIU1InIeqXSfTJeriHasXduG0HKcFhsHnQoWxrROaslj
            Na7P3cIeYfPcyE9/99JcB5yOnkmGY2W8ddODUxNwenIkt0q0R0+cNnMq/dhykfmnV6l+wB2M3LHmlx2RyDM6u6mS/4BJ+o8dkmf3
            GpiT0aAxXzGZSFMv64xP2GePK67GLL2bofGxUTp4T/CzCq0RPV8q/27X+ZR89inVRuelb1Sg9QifNrTKcg0muyrjpJkTwTJ7/6Ah
            nliuUPRhenBHn9+/20C9zlKukod/eNVCaQZIp7A5INCjM0pGetLQlFCElenGl1xxWvDka/BlHYeP8lv2HlFlevu9tpP7rycWJU2v
            TASSu+bjIhl6HLd+GFrugAPx6J7VGLpMGUpQ7Jo472ceSbIpgS1IU4VIlnbyiksb4g9Mq1023FBKxdnxrWemKvImMl+ijJKmSWs6
            zaTG0i1sVJ1eUUwZ7ZlauyKSgdfhjH9oiR/+sPLt5/jTCU9cd2DllXdJVuF+n/21rEtkSlSvWNkZLwqy3pFnVv7C5WPIF1ZZD+4o
            IdZ/u4SuC+gWes+1Y753xXwyNFFfjAw834VLmXG0v3RTbI9RW5DgZbaq6I0CmGzkYAcoq2z/ROnIfythXIofw3tSlUH8chqiEQYg
            eKBHXCrWUnGIqcZ62I5bE+ZWHREZa/8/EuEQa74sg9Jts9rNn+89QvTXRDkykkL7Mq/cRhSV+qJA9jmgI0iuLSLM48reUzNlSzUt
            vogDquhqV4Tllbgux3fsDahC1luDkYgnEaoNgPMz25OYuhvCwDozPPnlNR4OHj+VjXlVkWL3s55etNmPkXqBthD3QItARph2dxHJ
            ZOLRmejNF+AnaHduP5n3eLpGO45KlqEbI2MJcntccfS9o+n99mH3zDziVYlg9LfjHHJVtGxYuqSMvjxvHRNGvrOsrnrP1ih32ZXQ
            qlltfKL9KxrWdu+PHAG/0MPAzEWG+Z8SdtHtuM7CjGoelI9seQjjkq1Nx7mepJrrcLxMHbJo9vy4vVycPjRV5R6bkd2/Ke3lBBKU
            Uioc2WsrbPRXHjUO6fSxmp8R4lV9Pj+cJr+X3fqj9oImdwvA4RuucY/E4ocrngaLxookWFeHGf/XOa2t/MxYHcbd4V1K38Cpy1EP
            3QnGe7t1L6nSfOEclTyZPnGE5UdXOP4mHXIj6tMudGDMhjw/4BLGx2rWO8tnW2yZMTAtJdEZvmmCMSUwIwYJKoZIhvcNAQkVMRYE
            FEWzyxmm+tbRpMKDmq1jRgsQ0SVkMEEwMTANBglghkgBZQMEAgEFAAQgvV7MPdrD3oHQ0wb2ed16DJwcfQPEvATdXICW8xfi6f8E
            CLoMud5mWCbPAgIIAA==
            """
        )

        /// The same with a key of P-256, encrypted as older programs do (RC2 and 3DES).
        static let legacy = bytes(
            """
            MIIDggIBAzCCA0gGCSqGSIb3DQEHAaCCAzkEggM1MIIDMTCCAicGCSqGSIb3DQEHBqCCAhgwggIUAgEAMIICDQYJKoZIhvcNAQcB
            MBwGCiqGSIb3DQEMAQYwDgQI+V+dIKEvaMgCAggAgIIB4JUlJzscjXY/+QYc/N/zCGwK1JHtD6eSb5Z9k7NiTgItCGb0Hz2uFVz0
            UAi5gNbh2jjpR439lXdKC/G71Rcm3AdFS4riSoOpEOj0f6Phica4Wxe1VIn98bfMXBEKzncbGdz2OFNZoVPuInN6rLqra51U9Iqk
            HKXYxvsBJfEhTriqXoD1PaMokTOt2F6tzd1RF9V9NCe8fMMjHcHm6pVIfjkuSmjZKfSIhsB2ZX49mVOwg6mtUv+3shp3PlsgsqCh
            OpITD1ujRgEMwtN9Kol4I3ODOhKEp5gWmOcYH21thDH3+X9Em6c0FtpBwD08ri9TCefF8yVsJuP345Y3araobcawnbnBn/ve4Vfk
            e3cDloq8aVLtytH9ZfzusiFc+cUOLNL/oCIiIQtEqaS0QxrNYl0gERUkehL0Cu5aUMTqmHqnb5kG2PeNhIua1TZqwf3sWrlvtQYK
            m5PESBEJFYtb5KkJxyBH1O/rX640IEDdRnMcwQaVozllyh28ozt7zsCQ8jIGvQq4GEWRNbc1W0BDoCP+eBlZKvQkK7GZAqG+dxrA
            ZPff5fIamNegcqB5RAac2BjTqPw3jHt9HiugdqVttvvJE7rJPddjXfRbUPevDpSj+yDmLlfWw30O3wFAfQPm7zCCAQIGCSqGSIb3
            DQEHAaCB9ASB8TCB7jCB6wYLKoZIhvcNAQwKAQKggbQwgbEwHAYKKoZIhvcNAQwBAzAOBAgzIhcW9q46RgICCAAEgZDAHAYxIIZI
            OOAPkFfQAfxhWqhy+YLmzlBDNcugbjB18lQNQB7KK1mSpqLngRpLChxCLlKkkoK4U2q+ARVMpzhs+NZD8mzSgWAhEXXEU1SpfY5E
            AEL004qtKac1CWPh1sgVlVSNq12nZOwUKYa5MRZq39x0YahJKoS1mN6fW7gB0E7p/kGSpiLPlObb5GiPtWIxJTAjBgkqhkiG9w0B
            CRUxFgQUQkONN+7YdkzyB1kHE3JAJWY+B/kwMTAhMAkGBSsOAwIaBQAEFKiCAHDZwsus5I/z8LYC8KPBopxsBAj0ace3YccUDgIC
            CAA=
            """
        )

        /// With an empty password.
        static let withoutPassword = bytes(
            """
            MIIEDAIBAzCCA8IGCSqGSIb3DQEHAaCCA7MEggOvMIIDqzCCAmIGCSqGSIb3DQEHBqCCAlMwggJPAgEAMIICSAYJKoZIhvcNAQcB
            MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi/tMb9sGwZmwICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEENMv
            bOOYbC8s1rFZ9WVT5/SAggHgwZVhczdyI5zqtSLjGi3+sVD9m8HWKERybLwo2GLieh/P3Uvq6usFzJxvM22YrOAn3gQRA11OLolf
            5GnnI36SygrwoQe5ok+X8hFIfS+0nouwu3Juq5ck5sXVwHCYmqEdaJt6dI7vBjhn4DSl5G+CEO79eUXgAh462W/m/Exy915HlvrT
            /VOgb4dLZ7UqruUjUtgcRnhN340CMtbe2I1MWeG3QKAzmiG9crHfkcPGxTblMkMtYiDiJtIodDcoPBAoNVsd/ABwhD9fLHwwWPo4
            03rMB9VpBSGKVYcnrn3xvyPAkNad5U6ooElg7ZRCKuZQIuCT02UOKnM3/sXrTa5gJB5RWgNNLMUBUur/gkB8QUAZIuXp15dW7q3v
            yOhxt5MFqDu2MCvNDxfIapgCq9zE8qrwvi/dxKwjb5WtpEioqGI9D/6vtJNov8BPnVCQVJNf09MWzYnCVPa2D0c9H00MMCPgnqRc
            GtRTcN6Evk0A1RQt/0Sek0aHBvj9DACK8IFu0dUAhP/b9PikQNQ5YbRfy3B6l8E+7rd+WjGYjk7RZ3ypwP/vlWXbSMhXNj2Wlxz2
            84dCiLKGExaL3wL+/mopHf9jW6FB8DcPN3++S2gAW0uW09NTqvAnfAZnqVnuiQyeMIIBQQYJKoZIhvcNAQcBoIIBMgSCAS4wggEq
            MIIBJgYLKoZIhvcNAQwKAQKgge8wgewwVwYJKoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwECGjZbaRTpZJ3AgIIADAMBggqhkiG
            9w0CCQUAMB0GCWCGSAFlAwQBKgQQlt2JVPhmrUwmQJru+MX8dgSBkK4vomUEzJrDGsuyG+imQL1HgpdABJXnbBFngcNyf4I4WgjG
            Q5FHPEF+39usIgsqYfdxeB136nnMRowPIXSP5JSiz7UuAag5pyHecUVf9ITBM5ovOMgR/O3lYbyW6NB6UaBNFGuXTMcXE93EY4ae
            UvHTmhiwebd9wnxJt1ULNlDcjoSZugn6lD/am/iTQLYOWTElMCMGCSqGSIb3DQEJFTEWBBRCQ4037th2TPIHWQcTckAlZj4H+TBB
            MDEwDQYJYIZIAWUDBAIBBQAEIBqiNTysevKxLDjslv+7krPblxpuzILwde0/eExhWr6oBAgGxppIGypnHgICCAA=
            """
        )

        /// Not encrypted at all.
        static let plain = bytes(
            """
            MIIDLwIBAzCCAuUGCSqGSIb3DQEHAaCCAtYEggLSMIICzjCCAe8GCSqGSIb3DQEHAaCCAeAEggHcMIIB2DCCAdQGCyqGSIb3DQEM
            CgEDoIIBnDCCAZgGCiqGSIb3DQEJFgGgggGIBIIBhDCCAYAwggEnoAMCAQICFDh1ON9vWl9N2/Ok+AtkG7cN5WNHMAoGCCqGSM49
            BAMCMBUxEzARBgNVBAMMCmVjLmV4YW1wbGUwIBcNMjYxMTIxMjI1MDEwWhgPMjEyNjEwMjgyMjUwMTBaMBUxEzARBgNVBAMMCmVj
            LmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQx3AQ/zAUp/tH4LbH4IKwLPoevxaaBEaJ5LXueFl3htIybR5AjI3xI
            EI4OFyZbCxSrLB3AWZpjX8IjQ4L6Rk4co1MwUTAdBgNVHQ4EFgQU5OWPpQWaI7/mJ9buNT/YrwtWKS0wHwYDVR0jBBgwFoAU5OWP
            pQWaI7/mJ9buNT/YrwtWKS0wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiB/Yv0k9qxPDk8jQzNynrskqE+v6Gst
            uStDFXJW9KHXtwIgXWhIsNUrfGPSEQNbyDrZzrxwDBh6eh9UJNvxlNNuXSAxJTAjBgkqhkiG9w0BCRUxFgQUQkONN+7YdkzyB1kH
            E3JAJWY+B/kwgdgGCSqGSIb3DQEHAaCBygSBxzCBxDCBwQYLKoZIhvcNAQwKAQGggYowgYcCAQAwEwYHKoZIzj0CAQYIKoZIzj0D
            AQcEbTBrAgEBBCAScJ5xbh2Huxrrinh/vZLpufmu8PYZNiNrUzDrIyJq9KFEA0IABDHcBD/MBSn+0fgtsfggrAs+h6/FpoERonkt
            e54WXeG0jJtHkCMjfEgQjg4XJlsLFKssHcBZmmNfwiNDgvpGThwxJTAjBgkqhkiG9w0BCRUxFgQUQkONN+7YdkzyB1kHE3JAJWY+
            B/kwQTAxMA0GCWCGSAFlAwQCAQUABCAmtrHUl0YQ7b3q828NXcgxAFpjpl5+QiazlIQ98LrYXAQIaJ08dlHZrfECAggA
            """
        )

        /// A certificate alone.
        static let withoutKey = bytes(
            """
            MIICpwIBAzCCAl0GCSqGSIb3DQEHAaCCAk4EggJKMIICRjCCAkIGCSqGSIb3DQEHBqCCAjMwggIvAgEAMIICKAYJKoZIhvcNAQcB
            MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhHgvZlHXg4ZAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEByx
            NNeQpwsDcGOZOXjUSxiAggHAM2ZIKlp0RfOX7U29QMIjGt+p4MbNvTSQm6m/4xfILI/vvBtMyhY5w6FUigRp+806tAIuCnCfhBzW
            OIcXe+zKtr/DPCdyGpRDwaoFAN8QGLJrTxkfbM4ojQwQHHtCaICSGRNjt56t5M8tQgShTccp6CVY6rRnrKFfZp9erK4doNF1zbL0
            Qhcmsg0CUo1Uu12Xzm/3gHBW3zcJJAMAAqb//xJ4WQ3Vz9uG8LGC7ilgXLGrDK6QR6F7eww/TDmlTlYd/ny40rNfSp56PBRdMR3t
            N6rU+WAz0kePtUzaEfn/jhmJW6gFrT8RKbok9eFqXfjgk2TB2PHb4A/EJ+EcCecmHslbj9G/b3oQc+S5S/wkefKePcb1erkqWrNN
            f9zZ/kEN3/wtq7LJs0iXu1EccLQTat50q9P44o+zMiKiNF+O6zTngOdUuc+y1750ijnbHGQtTV5L/j1n16e1fzOSOmf4Nvy3BsKD
            1u4O9F5u0ObRg4M/hfvjbIJ+403vPZPFwAjQPvf/XV9p6uhH94aBDoURcFBAkxMdQ63FlvV+zJN6qDsTJDksU9SoC1tm4IU2iyV+
            rq9lEzWeE0Yyb4UmED6uJTBBMDEwDQYJYIZIAWUDBAIBBQAEID80c0aEpkptN3mV9gdsJWVmLduuOD18NLo/Gd/+tF0mBAhKGYG4
            suh/YAICCAA=
            """
        )

        /// A key alone.
        static let withoutCertificate = bytes(
            """
            MIIBfgIBAzCCATQGCSqGSIb3DQEHAaCCASUEggEhMIIBHTCCARkGCSqGSIb3DQEHAaCCAQoEggEGMIIBAjCB/wYLKoZIhvcNAQwK
            AQKgge8wgewwVwYJKoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwECKDO0hMplt9eAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFl
            AwQBKgQQDyVO1pz4QVEEalYTffphJwSBkKTujzisdYsSsG8pYLA6FeDjAElhcCKKlKwfdu1FInqlRsr8tK9IFprktzWGir2sPxUh
            R6Ae1McUOUY3iyjkcBQ2bXmR4IpwKtdlKADSWwAIERwHY1/jR/s46Xfv+FIaIqVy44zWrk3S6yNqqvKVP/sMzoXT+n1H9zzEZJI2
            /5+RCbQ1FmSg6Y2qqgvNQSu6tTBBMDEwDQYJYIZIAWUDBAIBBQAEII8zTeVASWHx5vNMza2s6XHFn2J6mDo7GBaKJMFhJpJvBAj1
            /3tTjOhflQICCAA=
            """
        )

        private static func bytes(_ base64: String) -> [UInt8] {
            Array(Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
        }
    }
#endif
