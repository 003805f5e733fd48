/// Counts what a layout has done so far, in steps. A caller can so give it work in portions.
///
/// A step is the cost of laying out one item in a simple way, some nanoseconds. The number depends
/// on the input and the questions, not on the machine.
package final class LayoutWork {
    // Swift does not check these for exclusive access, which takes time with each item. No two
    // accesses overlap.
    /// The steps of laying out.
    @exclusivity(unchecked) package var steps = 0
    /// The steps of finding elements in rectangles, which ``steps`` does not include.
    @exclusivity(unchecked) package var looks = 0

    /// The cost of planning a section, without its items.
    static let stepsPerPlan = 32
    /// Adding up this many sections is one step.
    static let sectionsPerStep = 4

    package init() {}
}
