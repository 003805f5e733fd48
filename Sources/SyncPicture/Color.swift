/// A colour, in sRGB.
struct Color: Sendable, Hashable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8
    /// From 0 (invisible) to 1 (opaque).
    var opacity = 1.0

    /// Makes a colour from its number, as in `0x77AADD`.
    init(_ number: UInt32) {
        red = UInt8(truncatingIfNeeded: number >> 16)
        green = UInt8(truncatingIfNeeded: number >> 8)
        blue = UInt8(truncatingIfNeeded: number)
    }

    static let white = Color(0xFFFFFF)
    static let black = Color(0x000000)

    /// This colour mixed with a share, from 0 to 1, of another one.
    func mixed(with other: Color, share: Double) -> Color {
        func mix(_ own: UInt8, _ other: UInt8) -> UInt8 {
            UInt8((Double(own) * (1 - share) + Double(other) * share).rounded())
        }
        var result = self
        result.red = mix(red, other.red)
        result.green = mix(green, other.green)
        result.blue = mix(blue, other.blue)
        return result
    }

    /// This colour with its opacity multiplied by `alpha`.
    func faded(by alpha: Double) -> Color {
        var result = self
        result.opacity *= alpha
        return result
    }
}

/// The colours of sections. They are Paul Tol's light scheme, which people with any kind of colour
/// blindness can tell apart and on which dark text is legible.
struct SectionColors {
    private static let scheme: [Color] = [
        Color(0x77AADD), Color(0xEE8866), Color(0xEEDD88), Color(0x44BB99), Color(0xFFAABB),
        Color(0x99DDFF), Color(0xBBCC33),
    ]

    let cell: Color
    var cellEdge: Color { cell.mixed(with: .black, share: 0.25) }
    var band: Color { cell.mixed(with: .white, share: 0.62) }
    var footerBand: Color { cell.mixed(with: .white, share: 0.8) }
    var decoration: Color { cell.mixed(with: .white, share: 0.86) }
    var text: Color { cell.mixed(with: Color(0x14181C), share: 0.9) }

    /// The share of white in the colours of neighbouring cells, so that they differ.
    private static let paleness = [0, 0.2, 0.36]

    /// The colours of the section at an index, and of a cell in it. After the last colour of the
    /// scheme the first comes again.
    init(section: Int, item: Int = 0) {
        let color = SectionColors.element(of: SectionColors.scheme, at: section)
        let share = SectionColors.element(of: SectionColors.paleness, at: item)
        cell = color.mixed(with: .white, share: share)
    }

    private static func element<Element>(of list: [Element], at index: Int) -> Element {
        list[Int(index.magnitude % UInt(list.count))]
    }
}
