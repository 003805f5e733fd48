import SyncWire

// Views and drags on a server that does not offer them.
extension Membership {
    /// Ends views and drags, if the server has none.
    ///
    /// - Returns: whether it lacks one of them.
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
