package import SyncWire

extension ErrorMessage {
    /// The view of the error, if it is about one.
    package var view: ViewNumber? {
        if case .view(let view, _, _) = subject { view } else { nil }
    }

    /// The last request of that view that was read.
    package var serial: UInt64? {
        if case .view(_, let serial, _) = subject { serial } else { nil }
    }

    /// The drag of the error, if it is about one.
    package var drag: DragNumber? {
        if case .drag(let drag, _) = subject { drag } else { nil }
    }
}
