/// The files of the inspector's page, which are part of the program: see the folder `Files`.
package enum InspectorPage {
    /// The contents of the files by their names.
    package static let files: [String: [UInt8]] = [
        "api.js": PackageResources.api_js,
        "app.js": PackageResources.app_js,
        "blobs.js": PackageResources.blobs_js,
        "chart.js": PackageResources.chart_js,
        "closed.html": PackageResources.closed_html,
        "completion.js": PackageResources.completion_js,
        "conflicts.js": PackageResources.conflicts_js,
        "databases.html": PackageResources.databases_html,
        "databases.js": PackageResources.databases_js,
        "document.js": PackageResources.document_js,
        "documents.js": PackageResources.documents_js,
        "dom.js": PackageResources.dom_js,
        "icon.svg": PackageResources.icon_svg,
        "index.html": PackageResources.index_html,
        "indexes.js": PackageResources.indexes_js,
        "json.js": PackageResources.json_js,
        "list.js": PackageResources.list_js,
        "live.js": PackageResources.live_js,
        "log.js": PackageResources.log_js,
        "query.js": PackageResources.query_js,
        "revisions.js": PackageResources.revisions_js,
        "session.js": PackageResources.session_js,
        "stream.js": PackageResources.stream_js,
        "style.css": PackageResources.style_css,
        "theme.js": PackageResources.theme_js,
        "tree.js": PackageResources.tree_js,
    ]
}
