/// An option that a running server can't change.
struct FixedOption: Sendable, Equatable {
    /// The flag, without dashes.
    let name: String
    let value: String

    fileprivate init(_ name: String, _ value: some Any) {
        self.name = name
        self.value = "\(value)"
    }
}

extension ServeCommand {
    /// All options that need a restart. The others are limits, see
    /// `ServerConfiguration.changed(toLimitsOf:)`.
    var fixedOptions: [FixedOption] {
        [
            FixedOption("listen", listen),
            FixedOption("data", data ?? ""),
            FixedOption("memory", memory),
            FixedOption("sync", sync),
            FixedOption("auth", auth.map { "\($0)" } ?? ""),
            FixedOption("threads", threads),
            FixedOption("log-level", logLevel),
            FixedOption("log-format", logFormat),
            FixedOption("history", history),
            FixedOption("heartbeat", heartbeat),
            FixedOption("create-rooms", createRooms),
            FixedOption("idle-unload", idleUnload),
            FixedOption("slow", slow),
            FixedOption("trusted", addresses.trusted),
            FixedOption("proxy-protocol", addresses.proxyProtocol),
        ] + http.fixedOptions + limits.fixedOptions + tls.fixedOptions + tokens.fixedOptions
            + audit.fixedOptions
    }
}

extension LimitOptions {
    fileprivate var fixedOptions: [FixedOption] {
        [
            FixedOption("max-frame-bytes", maxFrameBytes),
            FixedOption("max-transaction-bytes", maxTransactionBytes),
            FixedOption("max-transaction-operations", maxTransactionOperations),
            FixedOption("transaction-steps", transactionSteps),
            FixedOption("turn-steps", turnSteps),
            FixedOption("max-content-bytes", maxContentBytes),
            FixedOption("max-fields", maxFields),
            FixedOption("max-non-canonical-bytes", maxNonCanonicalBytes),
            FixedOption("max-unanswered", maxUnanswered),
            FixedOption("max-views", maxViews),
            FixedOption("max-view-elements", maxViewElements),
            FixedOption("max-presence-items", maxPresenceItems),
            FixedOption("max-presence-value", maxPresenceValue),
            FixedOption("max-rooms-per-connection", maxRoomsPerConnection),
            FixedOption("max-disk", maxDisk.map { "\($0)" } ?? ""),
            FixedOption("handshake-timeout", handshakeTimeout),
            FixedOption("frame-timeout", frameTimeout),
        ]
    }
}

extension HTTPOptionGroup {
    fileprivate var fixedOptions: [FixedOption] {
        [
            FixedOption("http", http ?? ""),
            FixedOption("no-http", noHttp),
            FixedOption("http-origin", httpOrigin),
            FixedOption("trust-proxy", trustProxy),
            FixedOption("metrics", metrics ?? ""),
        ]
    }
}

extension TLSOptions {
    fileprivate var fixedOptions: [FixedOption] {
        [
            FixedOption("tls-cert", tlsCert ?? ""),
            FixedOption("tls-key", tlsKey ?? ""),
            FixedOption("tls-client-ca", tlsClientCA ?? ""),
        ]
    }
}

extension AuditOptions {
    fileprivate var fixedOptions: [FixedOption] {
        [
            FixedOption("audit", audit ?? ""),
            FixedOption("audit-bytes", auditBytes),
            FixedOption("audit-days", auditDays),
            FixedOption("keep-addresses", keepAddresses),
        ]
    }
}

extension TokenOptions {
    fileprivate var fixedOptions: [FixedOption] {
        [
            FixedOption("auth-key", authKey),
            FixedOption("max-token-lifetime", policy.maxTokenLifetime),
            FixedOption("share-lifetime", policy.shareLifetime ?? policy.maxTokenLifetime),
            FixedOption("audience", policy.audience),
            FixedOption("revocations", revocations ?? ""),
            FixedOption("tls-by-proxy", tlsByProxy),
            FixedOption("share-rooms", shareRooms),
        ]
    }
}
