import InspectorPage

/// The files of the page, by their paths.
enum PageFiles {
    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml",
    ]

    /// Returns the answer for a path below a page: the page itself for the empty one, and its parts in `page`; `nil` if there is no such
    /// file.
    ///
    /// - Parameter isList: Whether the page is the list of databases.
    static func response(_ path: ArraySlice<String>, isList: Bool) -> APIResponse? {
        guard let folder = path.first else { return response(file: isList ? "databases.html" : "index.html") }
        guard path.count == 2, folder == "page", let name = path.last else { return nil }
        return response(file: name)
    }

    /// Returns the answer for a file that a browser without access may read, because the page that it is shown uses the file.
    static func publicFile(_ path: ArraySlice<String>) -> APIResponse? {
        path.elementsEqual(["page", "closed.css"]) ? response(file: "closed.css") : nil
    }

    /// What is shown instead of the page to a browser without access.
    static var withoutAccess: APIResponse {
        var response = Self.response(file: "closed.html") ?? APIResponse()
        response.status = 401
        return response
    }

    private static func response(file name: String) -> APIResponse? {
        guard let content = InspectorPage.files[name], let end = name.split(separator: ".").last, let type = types[String(end)] else {
            return nil
        }
        return APIResponse(contentType: type, body: content)
    }
}
