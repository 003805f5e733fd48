import SyncModel

// A quota that is nearly used up.

extension JSONWriter {
    mutating func write(_ use: QuotaUse) {
        beginObject()
        key("what")
        write(text: use.quota.name)
        member("used", use.used)
        member("limit", use.limit)
        endObject()
    }
}

extension JSONNode {
    func quotaUse() throws(JSONError) -> QuotaUse {
        var quota: Quota?
        var used: UInt64?
        var limit: UInt64?
        enum Key: JSONName, CaseIterable { case what, used, limit }
        for member in try members() {
            let node = member.node
            switch try member.key(Key.self) {
            case .what:
                quota = try node.known()
                if quota == nil { throw node.error("is not a quota of this version") }
            case .used: used = try node.wholeNumber()
            case .limit: limit = try node.wholeNumber()
            }
        }
        return QuotaUse(
            try required(quota, "what"), used: try required(used, "used"),
            limit: try required(limit, "limit"))
    }
}
