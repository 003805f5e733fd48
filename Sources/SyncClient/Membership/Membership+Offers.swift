import SyncWire

// What is wanted of a server that does not have it.
extension Membership {
    /// Ends views and drags, if the server has none.
    ///
    /// - Returns: whether there is something that it does not have.
    func endWhatIsNotOffered(by welcome: Welcome) -> Bool {
        let hasViews = welcome.limits.views > 0
        let hasDrags = hasViews && welcome.features.contains(.drags)
        if !hasDrags { loseDrag(.lacking("drags")) }
        if !hasViews {
            for view in views.removeAll() { observer?.membershipDidEnd(view, .lacking("views")) }
        }
        return !hasDrags
    }
}

extension ClientError {
    fileprivate static func lacking(_ what: String) -> ClientError {
        .server(.unsupported, message: "this server has no \(what)", retry: false)
    }
}
