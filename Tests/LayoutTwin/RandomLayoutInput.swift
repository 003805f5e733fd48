import SeededRandom
package import SyncLayout
import SyncModel

/// A random input for a layout, from one seed: a layout with any of its options, a viewport that is
/// scrolled anywhere, and a few sections of at most some sixty items. Some inputs have items of
/// ``RandomTies``.
///
/// A hostile one contains NaN, infinite numbers and numbers that no screen has.
package struct RandomLayoutInput: Sendable {
    package var spec: LayoutSpec
    package var environment: LayoutEnvironment
    package var sections: [SectionInput]
    /// The viewport. Its size is the environment's.
    package var bounds: ListRect

    /// Makes an input; without a `kind`, the seed chooses one.
    package init(seed: UInt64, hostile: Bool, kind: LayoutSpec.Kind? = nil) {
        var numbers = RandomNumbers(seed: seed, hostile: hostile)
        self.init(using: &numbers, kind: kind)
    }

    /// Makes an input. The caller may draw more numbers from the same seed afterwards.
    package init(using numbers: inout RandomNumbers, kind: LayoutSpec.Kind? = nil) {
        let ties = numbers.chance(30) && !numbers.isHostile ? numbers.pick(RandomTies.most) : nil
        let spec = RandomLayoutInput.spec(using: &numbers, kind: kind, ties: ties)
        let environment = RandomLayoutInput.environment(using: &numbers, ties: ties)
        let count = numbers.chance(8) ? 0 : 1 + numbers.below(5)
        // In some inputs most sections have options of their own, in others none.
        let percent = numbers.pick([0, 5, 20]) ?? 0
        sections = (0..<count).map { _ in
            SectionInput(
                items: RandomLayoutInput.items(using: &numbers, ties: ties),
                options: numbers.options(percent: percent))
        }
        self.spec = spec
        self.environment = environment
        bounds = ListRect(
            x: numbers.number(-100...900), y: numbers.number(-100...1500),
            width: environment.viewport.width, height: environment.viewport.height)
    }

    private static func spec(
        using numbers: inout RandomNumbers, kind: LayoutSpec.Kind?, ties: RandomTies?
    ) -> LayoutSpec {
        let any = numbers.pick(LayoutSpec.Kind.self)
        var spec = LayoutSpec(kind: kind ?? any)
        spec.options = numbers.options(percent: numbers.pick([10, 40, 70]) ?? 40)
        if numbers.chance(20) { numbers.pin(&spec.options) }
        if let ties { numbers.set(&spec.options, to: ties) }
        if numbers.chance(40) {
            spec.scrollDirection = numbers.pick(LayoutSpec.ScrollDirection.self)
        }
        spec.rtl = numbers.chance(30)
        if numbers.chance(30) { spec.zoomFactor = numbers.number(0...2) }
        if numbers.chance(30) { spec.activeDistance = numbers.number(0...500) }
        if numbers.chance(30) { spec.minimumContentHeight = numbers.number(0...2000) }
        return spec
    }

    private static func environment(
        using numbers: inout RandomNumbers, ties: RandomTies?
    ) -> LayoutEnvironment {
        var environment = LayoutEnvironment(viewport: numbers.size(100...800, 100...900))
        if ties != nil, numbers.chance(70) {
            environment.viewport = numbers.pick(RandomTies.viewports) ?? environment.viewport
        }
        if numbers.chance(40) { environment.contentInset = numbers.insets(0...40) }
        if numbers.chance(40) { environment.safeArea = numbers.insets(0...40) }
        if numbers.chance(30) { environment.layoutMargins = numbers.insets(0...40) }
        if ties != nil || numbers.chance(50) {
            let isOdd = numbers.isHostile && numbers.chance(30)
            environment.pixelScale =
                isOdd
                ? numbers.number(0...4) : numbers.pick([1, 2, 3, 1.5, 1, 2, 3, 1.5, 4])
        }
        return environment
    }

    private static func items(
        using numbers: inout RandomNumbers, ties: RandomTies?
    ) -> SectionInput.Items {
        let count =
            numbers.chance(10) ? 0 : 1 + numbers.below(numbers.pick([4, 20, 60]) ?? 20)
        let few = (0..<3).map { _ in size(using: &numbers, ties: ties) }
        switch numbers.below(6) {
        case 0: return .count(count)
        case 1: return .sizes(Array(repeating: few[0], count: count))
        case 2: return .sizes((0..<count).map { _ in numbers.pick(few) })
        case 3:
            return .sizes(
                (0..<count).map { _ in numbers.chance(30) ? nil : numbers.pick(few) })
        case 4:
            // All are equal except one.
            var sizes = Array(repeating: Optional(few[0]), count: count)
            if count > 0 { sizes[numbers.below(count)] = few[1] }
            return .sizes(sizes)
        default: return .sizes((0..<count).map { _ in size(using: &numbers, ties: ties) })
        }
    }

    private static func size(using numbers: inout RandomNumbers, ties: RandomTies?) -> ListSize {
        guard let ties, numbers.chance(95) else { return numbers.size(0...200, 0...150) }
        return numbers.size(of: ties)
    }
}
