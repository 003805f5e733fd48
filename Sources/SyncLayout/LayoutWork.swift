/// What a layout has done so far, in steps: so that the one for whom it works can give it so much
/// to do at a time, and no more.
///
/// A step is what an item costs that is laid out again in a simple way, some nanoseconds. It
/// depends on what is laid out and what is asked, not on the machine.
package final class LayoutWork {
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each item.
    /// How many steps were taken to lay out.
    @exclusivity(unchecked) package var steps = 0
    /// How many steps were taken to find what is in rectangles, besides.
    @exclusivity(unchecked) package var looks = 0

    /// What planning a section costs, besides its items.
    static let stepsPerPlan = 32
    /// So many sections that are only added up are a step.
    static let sectionsPerStep = 4

    package init() {}
}
