#if Replication
import Foundation

@testable import Hub

/// A request for a document, which a test sends once for one in a channel of others, and once for one that does not exist.
struct EndpointProbe {
    var method = "GET"
    /// The path after the database, in which `{id}`, `{rev}`, `{old}` and `{digest}` are replaced.
    var path: String
    var body: String?
    var headers: [String: String] = [:]
    /// The status for a document in a channel of others.
    var status: Int
    /// The status for a document that does not exist. If it is the same one, the responses must be the same.
    var absent: Int?
    /// Whether responses with the same status differ, because Sync Gateway tells too that a document exists.
    var showsExistence = false
    /// What the response contains for every client; `nil` for nothing in particular.
    var contains: String?
}

/// The probes of each route. The test requires one for each endpoint.
enum EndpointProbes {
    /// By the path of the route.
    static let all: [String: [EndpointProbe]] = [
        "/": [EndpointProbe(path: "/", status: 200)],
        "/_health": [EndpointProbe(path: "/_health", status: 200)],
        "/_ping": [EndpointProbe(path: "/_ping", status: 200, contains: "OK")],
        "/_openapi": [EndpointProbe(path: "/_openapi", status: 200)],
        "/_metrics": [EndpointProbe(path: "/_metrics", status: 200, contains: "hub_requests_total")],
        "/metrics": [EndpointProbe(path: "/metrics", status: 200, contains: "hub_requests_total")],
        "/{database}/_session": sessions, "/{database}/_blipsync": sync,
        "/{database}/_user/": administration("_user"), "/{database}/_user/{user}": administration("_user"),
        "/{database}/_role/": administration("_role"), "/{database}/_role/{role}": administration("_role"),
        "/{keyspace}/": keyspace, "/{keyspace}/_ensure_full_commit": fullCommit,
        "/{keyspace}/_all_docs": allDocuments, "/{keyspace}/_bulk_docs": bulkDocuments, "/{keyspace}/_bulk_get": bulkGet,
        "/{keyspace}/_revs_diff": revisionsDifference, "/{keyspace}/_changes": changes, "/{keyspace}/_query": queries,
        "/{keyspace}/_local/{local}": localDocuments, "/{keyspace}/{document}": documents,
        "/{keyspace}/{document}/{attachment}": attachments,
    ]

    private static let json = ["Content-Type": "application/json"]

    private static let fullCommit = [
        EndpointProbe(method: "POST", path: "/db/_ensure_full_commit", body: "{}", status: 201, contains: #""ok":true"#)
    ]

    /// Without the upgrade to a WebSocket. The messages are another test.
    private static let sync = ["db": 426, "hidden": 401, "_hub": 401].map { name, status in
        EndpointProbe(path: "/\(name)/_blipsync", headers: ["Sec-WebSocket-Protocol": "BLIP_3+CBMobile_3"], status: status)
    }

    private static let sessions = [
        EndpointProbe(path: "/db/_session", status: 200, contains: #""channels":{"!":1,"mine":1},"name":"anna""#),
        EndpointProbe(method: "POST", path: "/db/_session", body: #"{"name":"root","password":"wrong"}"#, status: 401),
        EndpointProbe(method: "POST", path: "/db/_session", body: #"{"name":"{id}","password":"wrong"}"#, status: 401),
        EndpointProbe(method: "DELETE", path: "/db/_session", headers: ["Cookie": "SyncGatewaySession=00"], status: 200),
    ]

    /// The public port does not have these routes.
    private static func administration(_ kind: String) -> [EndpointProbe] {
        [
            EndpointProbe(path: "/db/\(kind)/", status: 404, contains: "unknown URL"),
            EndpointProbe(path: "/db/\(kind)/root", status: 404, contains: "unknown URL"),
            EndpointProbe(method: "POST", path: "/db/\(kind)/", body: #"{"name":"eve","password":"x"}"#, status: 404),
            EndpointProbe(method: "PUT", path: "/db/\(kind)/anna", body: #"{"admin_channels":["*"]}"#, status: 404),
            EndpointProbe(method: "DELETE", path: "/db/\(kind)/root", status: 404),
        ]
    }

    private static let keyspace = [
        EndpointProbe(path: "/db/", status: 200, contains: #""db_name":"db""#),
        EndpointProbe(path: "/_hub/", status: 404), EndpointProbe(path: "/_hub.hub.users/", status: 404),
        EndpointProbe(path: "/_hub.users/", status: 404), EndpointProbe(method: "PUT", path: "/_hub/", status: 403),
        EndpointProbe(method: "PUT", path: "/db/", status: 412, contains: "file_exists"),
        EndpointProbe(method: "POST", path: "/db/", body: #"{"_id":"{id}","channels":["mine"]}"#, status: 403, absent: 200),
        EndpointProbe(method: "POST", path: "/db/", body: #"{"_id":"{id}","channels":["other"]}"#, status: 403),
        EndpointProbe(method: "POST", path: "/db/", body: #"{"channels":["other"]}"#, status: 403),
    ]

    private static let allDocuments = [
        EndpointProbe(path: "/db/_all_docs?include_docs=true&channels=true&update_seq=true&revs=true", status: 200, contains: "OPEN-TEXT"),
        EndpointProbe(path: "/db.travel.hotels/_all_docs?include_docs=true", status: 200, contains: #""total_rows":0"#),
        EndpointProbe(path: "/db/_all_docs?keys=%5B%22{id}%22%5D&include_docs=true", status: 200, contains: "not_found"),
        EndpointProbe(path: "/db/_all_docs?startkey=%22{id}%22&limit=1&include_docs=true", status: 200),
        EndpointProbe(path: "/db/_all_docs?startkey={id}&endkey={id}", status: 200),
        EndpointProbe(method: "POST", path: "/db/_all_docs?revs=true", body: #"{"keys":["{id}"]}"#, status: 200, contains: "not_found"),
    ]

    private static let bulkDocuments = [
        EndpointProbe(
            method: "POST",
            path: "/db/_bulk_docs",
            body: #"{"docs":[{"_id":"{id}","channels":["other"]}]}"#,
            status: 201,
            contains: "403"
        ),
        EndpointProbe(
            method: "POST",
            path: "/db/_bulk_docs",
            body: #"{"docs":[{"_id":"{id}","_rev":"1-00","channels":["other"]}],"new_edits":false}"#,
            status: 201,
            contains: "403"
        ),
        EndpointProbe(
            method: "POST",
            path: "/db/_bulk_docs",
            body: #"{"docs":[{"_id":"{id}","channels":["other"],"_attachments":{"secret.txt":{"stub":true,"digest":"{digest}"}}}]}"#,
            status: 201,
            contains: "403"
        ),
        EndpointProbe(
            method: "POST",
            path: "/db/_bulk_docs",
            body: #"{"docs":[{"_id":"x","channels":["mine"],"file":{"@type":"blob","digest":"{digest}","length":11}}]}"#,
            status: 201,
            contains: "412"
        ),
    ]

    private static let bulkGet = ["", #","rev":"{rev}""#, #","rev":"{old}""#].flatMap { revision in
        [json, ["Accept": "application/json", "Content-Type": "application/json"]].map { headers in
            EndpointProbe(
                method: "POST",
                path: "/db/_bulk_get?revs=true&attachments=true",
                body: #"{"docs":[{"id":"{id}"\#(revision)}]}"#,
                headers: headers,
                status: 200,
                showsExistence: true,
                contains: "error"
            )
        }
    }

    private static let revisionsDifference = ["{rev}", "{old}", "9-00"].flatMap { revision in
        ["db", "db.travel.hotels"].map { keyspace in
            EndpointProbe(
                method: "POST",
                path: "/\(keyspace)/_revs_diff",
                body: #"{"{id}":["\#(revision)"]}"#,
                status: 200,
                contains: #"{"missing":["\#(revision == "9-00" ? revision : "")"#
            )
        }
    }

    private static let changes: [EndpointProbe] = {
        var probes: [EndpointProbe] = []
        for feed in ["normal", "longpoll", "continuous"] {
            let mode = "feed=\(feed)&timeout=20&include_docs=true&style=all_docs&revocations=true"
            probes += [
                EndpointProbe(path: "/db/_changes?\(mode)", status: 200, contains: "OPEN-TEXT"),
                EndpointProbe(path: "/db/_changes?\(mode)&active_only=true", status: 200, contains: "OPEN-TEXT"),
                EndpointProbe(path: "/db/_changes?\(mode)&filter=sync_gateway/bychannel&channels=other", status: 200),
                EndpointProbe(path: "/db/_changes?\(mode)&filter=sync_gateway/bychannel&channels=*", status: 200, contains: "OPEN-TEXT"),
                EndpointProbe(path: "/db/_changes?\(mode)&filter=_doc_ids&doc_ids=%5B%22{id}%22%5D", status: 200),
                EndpointProbe(path: "/db.travel.hotels/_changes?\(mode)", status: 200),
                // Sequences that no hub has given to this user.
                EndpointProbe(path: "/db/_changes?\(mode)&since=0:9:0:1", status: 200),
                EndpointProbe(path: "/db/_changes?\(mode)&since=5:1", status: 200, contains: "OPEN-TEXT"),
                EndpointProbe(
                    method: "POST",
                    path: "/db/_changes",
                    body: #"{"feed":"\#(feed)","timeout":20,"include_docs":true,"filter":"_doc_ids","doc_ids":["{id}"]}"#,
                    status: 200
                ),
            ]
        }
        return probes
    }()

    private static let queries = [
        #"{"query":"SELECT * FROM _"}"#, #"{"query":"SELECT text FROM _ WHERE meta().id = $id","parameters":{"id":"{id}"}}"#,
        #"{"query":"SELECT count(*) FROM _ WHERE channels = $c","parameters":{"c":"mine"}}"#, #"{"query":"SELEC"}"#,
    ].flatMap { body in
        ["db", "db.travel.hotels"].map { EndpointProbe(method: "POST", path: "/\($0)/_query", body: body, status: 403) }
    }

    /// Local documents of another user.
    private static let localDocuments = [
        EndpointProbe(path: "/db/_local/{id}", status: 404),
        EndpointProbe(path: "/db/_local/root%3A{id}", status: 404), EndpointProbe(path: "/db/_local/..%2Froot%2F{id}", status: 404),
        EndpointProbe(method: "DELETE", path: "/db/_local/{id}?rev={rev}", status: 404),
        EndpointProbe(method: "PUT", path: "/db/_local/{id}?rev=0-1", body: "{}", status: 409),
    ]

    private static let documents: [EndpointProbe] = {
        var probes: [EndpointProbe] = []
        // As Sync Gateway, a hub tells that a document exists, but nothing about its revisions.
        for query in [
            "", "?rev={rev}", "?rev={old}", "?rev=9-00", "?open_revs=all", "?open_revs=%5B%22{rev}%22%5D", "?revs=true&attachments=true",
        ] {
            let isList = query.contains("open_revs=%5B")
            probes.append(EndpointProbe(path: "/db/{id}\(query)", status: 403, absent: isList ? 200 : 404))
        }
        for field in ["If-None-Match", "If-Match"] {
            probes.append(EndpointProbe(path: "/db/{id}", headers: [field: "\"{rev}\""], status: 403, absent: 404))
        }
        probes += [
            EndpointProbe(path: "/db/gone", status: 403), EndpointProbe(path: "/db/unlisted", status: 403),
            EndpointProbe(path: "/db.travel.hotels/{id}", status: 403, absent: 404),
            EndpointProbe(path: "/db.hotels/{id}", status: 403, absent: 404), EndpointProbe(path: "/_hub/{id}", status: 404),
            EndpointProbe(path: "/_hub.hub.users/root", status: 404),
            EndpointProbe(method: "DELETE", path: "/db/{id}", status: 403, absent: 404),
            EndpointProbe(method: "DELETE", path: "/db/{id}?rev={rev}", status: 403, absent: 404),
        ]
        // The body is in a channel that the user may not write, or refers to content of others.
        let stub = #"{"secret.txt":{"stub":true,"revpos":1,"length":11,"digest":"{digest}"}}"#
        for query in ["", "?rev={rev}", "?rev=1-00", "?new_edits=false"] {
            for body in [
                #"{"_rev":"1-00","channels":["other"]}"#, #"{"_rev":"1-00","channels":["mine","other"],"_attachments":\#(stub)}"#,
                #"{"_rev":"1-00","channels":[]}"#,
            ] {
                // A new document cannot have a revision that it is to replace.
                let isNew = query == "?new_edits=false"
                probes.append(EndpointProbe(method: "PUT", path: "/db/{id}\(query)", body: body, status: 403, absent: isNew ? 403 : 409))
            }
        }
        for body in [
            #"{"channels":["mine"],"_attachments":\#(stub)}"#, #"{"channels":["mine"],"_attachments":{"secret.txt":{"stub":true}}}"#,
            #"{"channels":["mine"],"file":{"@type":"blob","digest":"{digest}","length":11}}"#,
        ] {
            probes.append(EndpointProbe(method: "PUT", path: "/db/new", body: body, status: 412))
        }
        return probes
    }()

    private static let attachments: [EndpointProbe] = {
        var probes: [EndpointProbe] = []
        for path in ["{id}/secret.txt", "{id}/secret.txt?rev={rev}", "{id}/secret.txt?rev={old}", "{id}/none", "{id}/a/b/c"] {
            probes.append(EndpointProbe(path: "/db/\(path)", status: 403, absent: 404))
        }
        for (field, value) in [
            ("Range", "bytes=0-3"), ("Range", "bytes=1000-"), ("If-None-Match", "\"{digest}\""), ("If-Range", "\"{digest}\""),
        ] {
            probes.append(EndpointProbe(path: "/db/{id}/secret.txt", headers: [field: value], status: 403, absent: 404))
        }
        probes += [
            EndpointProbe(path: "/db/visible/{digest}", status: 404), EndpointProbe(path: "/db/visible/secret.txt", status: 404),
            EndpointProbe(path: "/db.travel.hotels/{id}/secret.txt", status: 403, absent: 404),
            EndpointProbe(method: "PUT", path: "/db/{id}/secret.txt", body: "x", status: 403),
            EndpointProbe(method: "PUT", path: "/db/{id}/secret.txt?rev={rev}", body: "x", status: 403, absent: 409),
            EndpointProbe(method: "DELETE", path: "/db/{id}/secret.txt", status: 403, absent: 404),
            EndpointProbe(method: "DELETE", path: "/db/{id}/secret.txt?rev={rev}", status: 403, absent: 404),
        ]
        return probes
    }()
}
#endif
