import InspectorPage

/// The files of the page, by their paths.
enum PageFiles {
    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml",
    ]

    /// Returns the answer for a path: the page itself for the empty one, and its parts in `page`; `nil` if there is no such file.
    static func response(_ path: [String]) -> APIResponse? {
        if path.isEmpty { return response(file: "index.html") }
        guard path.count == 2, path[0] == "page" else { return nil }
        return response(file: path[1])
    }

    /// What is shown instead of the page to a browser without access.
    static var withoutAccess: APIResponse {
        var response = response(file: "closed.html") ?? APIResponse()
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
