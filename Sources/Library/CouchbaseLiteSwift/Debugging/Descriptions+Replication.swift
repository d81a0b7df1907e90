#if Replication
import DatabaseRuntime
import Transport

// What `print` and debuggers show of replicators and listeners: no password, no key, and no value of a header field.

extension Replicator: Shown {
    var appearance: Appearance {
        let status = status
        return Appearance(
            "Replicator",
            [
                "target": configuration.shownTarget, "type": configuration.replicatorType, "continuous": configuration.continuous,
                "activity": status.activity, "completed": status.progress.completed, "total": status.progress.total, "error": status.error,
            ]
        )
    }
}

extension ReplicatorConfiguration: Shown {
    var appearance: Appearance {
        Appearance(
            "ReplicatorConfiguration",
            [
                "target": shownTarget, "collections": collections.map(\.fullName), "type": replicatorType, "continuous": continuous,
                "authenticator": authenticator, "headers": headers.map { $0.keys.sorted() }, "proxy": proxy,
            ]
        )
    }
}

extension ReplicatorConfiguration {
    fileprivate var shownTarget: String {
        switch target {
        case let endpoint as URLEndpoint: Appearance.withoutQuery(endpoint.url)
        case let endpoint as DatabaseEndpoint: endpoint.database.name
        case let endpoint as MessageEndpoint: endpoint.uid
        default: "\(type(of: target))"
        }
    }
}

extension ProxySettings: Shown {
    var appearance: Appearance { Appearance("ProxySettings", ["kind": kind, "host": host, "port": port, "username": username]) }
}

extension URLEndpointListener: Shown {
    var appearance: Appearance {
        Appearance(
            "URLEndpointListener",
            ["collections": config.collections.map(\.fullName), "port": port, "connections": status.connectionCount]
        )
    }
}

extension TLSIdentity: Shown {
    var appearance: Appearance { Appearance("TLSIdentity", ["expiration": expiration, "certificates": data.certificates.count]) }
}
#endif
