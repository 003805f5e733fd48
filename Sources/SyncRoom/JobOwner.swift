/// Who has a share of the workers' time, so that everybody's jobs take turns: a holder of the server's pots, or the
/// server itself for what nobody asked for.
package struct JobOwner: Hashable, Sendable {
    private let holder: ObjectIdentifier?

    package static let server = JobOwner(nil)

    package init(_ holder: Holder?) {
        self.holder = holder.map { ObjectIdentifier($0.top) }
    }
}
