import ModelSupport
import SeededRandom
import SyncLayout
import SyncModel

extension RandomNumbers {
    /// Options of all layouts, each set with a probability of `percent`. A layout must ignore those
    /// that it does not have.
    mutating func options(percent: Int) -> LayoutOptions {
        var options = LayoutOptions()
        setCommon(&options, percent: percent)
        setFlow(&options, percent: percent)
        setColumns(&options, percent: percent)
        setWaterfall(&options, percent: percent)
        return options
    }

    private mutating func setCommon(_ options: inout LayoutOptions, percent: Int) {
        if chance(percent) { options.itemSize = size(0...160, 0...120) }
        if chance(percent) { options.sectionInset = insets(-5...30) }
        if chance(percent) {
            options.supplementaries = (0..<below(4)).map { supplementary(number: $0) }
        }
        if chance(percent) {
            options.decorations = (0..<below(4)).map { decoration(number: $0) }
        }
    }

    private mutating func decoration(number: Int) -> Decoration {
        Decoration(
            kind: Spellings.name("decoration", number), cover: pick(Decoration.Cover.self),
            inset: insets(-20...20), zIndex: chance(70) ? -1 : below(9) - 4)
    }

    private mutating func supplementary(number: Int) -> CustomSupplementary {
        let corner = pick(CustomSupplementary.Corner.self)
        let place: CustomSupplementary.Place =
            switch pick(PlaceKind.self) {
            case .beforeItems: .beforeItems
            case .afterItems: .afterItems
            case .atItem: .atItem(corner)
            }
        return CustomSupplementary(
            kind: Spellings.name("supplementary", number), place: place, size: size(0...40, 0...40),
            offset: chance(50) ? point(-20...20) : ListPoint(), zIndex: below(5) - 1)
    }

    private mutating func setFlow(_ options: inout LayoutOptions, percent: Int) {
        if chance(percent) { options.minimumInteritemSpacing = self.number(0...25) }
        if chance(percent) { options.minimumLineSpacing = self.number(0...25) }
        if chance(percent) { options.headerReferenceSize = size(0...60, 0...60) }
        if chance(percent) { options.footerReferenceSize = size(0...60, 0...60) }
        if chance(percent) { options.sectionHeadersPinToVisibleBounds = chance(70) }
        if chance(percent) { options.sectionFootersPinToVisibleBounds = chance(70) }
        if chance(percent) { options.alignment = pick(LayoutOptions.Alignment.self) }
        if chance(percent) { options.lineAlignment = pick(LayoutOptions.LineAlignment.self) }
        if chance(percent) {
            options.sectionInsetReference = pick(LayoutOptions.InsetReference.self)
        }
    }

    /// Gives all sections headers and footers that are pinned.
    mutating func pin(_ options: inout LayoutOptions) {
        options.sectionHeadersPinToVisibleBounds = true
        options.sectionFootersPinToVisibleBounds = true
        options.headerReferenceSize = size(1...60, 1...60)
        options.footerReferenceSize = size(1...60, 1...60)
        options.headerHeight = number(1...60)
        options.footerHeight = number(1...60)
    }

    private mutating func setColumns(_ options: inout LayoutOptions, percent: Int) {
        if chance(percent) { options.minColumnWidth = self.number(0...400) }
        if chance(percent) { options.cellHeight = self.number(0...100) }
        if chance(percent) { options.fit = pick(LayoutOptions.ColumnFit.self) }
    }

    private mutating func setWaterfall(_ options: inout LayoutOptions, percent: Int) {
        if chance(percent) {
            let isOdd = isHostile && chance(30)
            options.columnCount =
                isOdd ? pick([Int.min, -1, 0, 1, 30, 1024]) : 1 + below(6)
        }
        if chance(percent) { options.minimumColumnSpacing = self.number(0...25) }
        if chance(percent) { options.headerHeight = self.number(0...60) }
        if chance(percent) { options.footerHeight = self.number(0...60) }
        if chance(percent) { options.headerInset = insets(-5...20) }
        if chance(percent) { options.footerInset = insets(-5...20) }
        if chance(percent) { options.sizing = pick(LayoutOptions.Sizing.self) }
        if chance(percent) {
            options.itemRenderDirection = pick(LayoutOptions.RenderDirection.self)
        }
    }
}
