import Testing

/// The real programs over real sockets, one test after the other.
@Suite(.serialized) struct ProcessTests {}
