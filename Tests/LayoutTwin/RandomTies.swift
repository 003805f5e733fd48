import SeededRandom
import SyncLayout
import SyncModel

/// Items of few sizes, so that lines are often just full, and columns equally long, though the sums
/// of their doubles seldom are.
enum RandomTies {
    /// Photos of common proportions.
    case photos
    /// 0.1 + 0.2 is not 0.3.
    case tenths
    case thirds
    case longTenths
    case longThirds

    /// All, with different weights.
    static let most: [RandomTies] = [
        .photos, .photos, .photos, .tenths, .thirds, .longTenths, .longThirds,
    ]

    /// Viewports whose sides are sums of the items' lengths, and those of usual screens.
    static let viewports: [ListSize] = [
        ListSize(width: 300, height: 303), ListSize(width: 303, height: 300),
        ListSize(width: 6, height: 6), ListSize(width: 390, height: 844),
        ListSize(width: 600, height: 600), ListSize(width: 768, height: 1024),
    ]

    /// The proportions of photos.
    fileprivate static let proportions: [ListSize] = [
        ListSize(width: 1, height: 1), ListSize(width: 3, height: 2),
        ListSize(width: 2, height: 3), ListSize(width: 4, height: 3),
        ListSize(width: 3, height: 4), ListSize(width: 16, height: 9),
        ListSize(width: 9, height: 16),
    ]

    /// The lengths of items that are no photos.
    fileprivate var lengths: [Double] {
        switch self {
        case .photos: []
        case .tenths: [0.1, 0.2, 0.3]
        case .thirds: [1.0 / 3, 2.0 / 3, 1]
        case .longTenths: [10.1, 20.2, 30.3]
        case .longThirds: [100.0 / 3, 200.0 / 3, 100]
        }
    }
}

extension RandomNumbers {
    /// The size of an item.
    mutating func size(of ties: RandomTies) -> ListSize {
        guard let width = pick(ties.lengths), let height = pick(ties.lengths) else {
            let shape = pick(RandomTies.proportions) ?? ListSize(width: 1, height: 1)
            let longSide: Double = pick([48, 96, 144]) ?? 48
            let factor = longSide / max(shape.width, shape.height)
            return ListSize(width: shape.width * factor, height: shape.height * factor)
        }
        return ListSize(width: width, height: height)
    }

    /// Replaces the options on which ties depend.
    mutating func set(_ options: inout LayoutOptions, to ties: RandomTies) {
        switch ties {
        case .photos:
            options.sizing = .proportional
            options.minimumInteritemSpacing = pick([0, 1, 8, 10, 0.5, 1.0 / 3, 0.1])
        case .tenths, .thirds, .longTenths, .longThirds:
            // Thirds with their proportions are whole pixels.
            options.sizing = chance(85) ? .absolute : .proportional
            options.minimumInteritemSpacing = chance(50) ? 0 : pick(ties.lengths)
        }
        options.columnCount = 2 + below(3)
        if chance(80) { options.itemRenderDirection = .shortestFirst }
        if chance(50) { options.sectionInset = nil }
    }
}
