/// What the process uses of the machine, for its metrics. A figure that the system does not give is
/// `nil`.
package struct ProcessFigures: Sendable, Equatable {
    /// The time that its threads have spent on processors, in microseconds.
    package var processorMicroseconds: UInt64?
    package var residentBytes: UInt64?
    package var virtualBytes: UInt64?
    package var openFiles: UInt64?
    package var maximumOpenFiles: UInt64?
    /// When it started, in milliseconds since 1970.
    package var startMilliseconds: UInt64?

    package init() {}
}
