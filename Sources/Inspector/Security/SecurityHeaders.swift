/// The headers that restrict what a browser does with an answer.
enum SecurityHeaders {
    /// Nothing is loaded from elsewhere, nothing inline is run, and scripts cannot create elements from text.
    private static let pagePolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "media-src 'self'", "connect-src 'self'",
        "form-action 'none'", "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    /// For contents of blobs: opened by themselves, they can do nothing.
    private static let contentPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

    private static let common: [(name: String, value: String)] = [
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ]

    static let page = [("Content-Security-Policy", pagePolicy)] + common
    static let content = [("Content-Security-Policy", contentPolicy)] + common
}
