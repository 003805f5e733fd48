import CCairo

/// Which font a character is drawn with: the usual one if it has the character, else any font of
/// the system that has it. cairo by itself draws a box for what its font lacks; fontconfig knows
/// what each font has.
///
/// # Performance
/// A search takes milliseconds, so there are at most ``mostSearches``; a font that was found serves
/// all of its characters.
final class FontFallback {
    /// A part of a text that one font has.
    struct Run {
        var text: String
        /// `nil` for the usual font.
        var face: OpaquePointer?
    }

    private struct Font {
        let pattern: OpaquePointer
        let characters: OpaquePointer
        var face: OpaquePointer?

        func has(_ scalar: Unicode.Scalar) -> Bool {
            FcCharSetHasChar(characters, scalar.value) != 0
        }
    }

    /// How many characters of a picture a font is looked for.
    private static let mostSearches = 256

    /// Characters that no font has.
    private(set) var missing: Set<Unicode.Scalar> = []
    private let isBold: Bool
    private let usual: Font?
    private var others: [Font] = []
    private var searches = 0

    init(isBold: Bool) {
        self.isBold = isBold
        usual = FontFallback.font(isBold: isBold, with: nil)
    }

    deinit {
        for font in others + [usual].compactMap(\.self) {
            if let face = font.face { cairo_font_face_destroy(face) }
            FcPatternDestroy(font.pattern)
        }
    }

    /// The text in parts, each with the font that draws it. Marks stay with their letter.
    func runs(of text: String) -> [Run] {
        var runs: [Run] = []
        for character in text {
            let face = character.unicodeScalars.first.flatMap(face(for:))
            if let last = runs.indices.last, runs[last].face == face {
                runs[last].text.append(character)
            } else {
                runs.append(Run(text: String(character), face: face))
            }
        }
        return runs
    }

    private func face(for scalar: Unicode.Scalar) -> OpaquePointer? {
        if usual?.has(scalar) == true { return nil }
        if let known = others.first(where: { $0.has(scalar) }) { return known.face }
        if missing.contains(scalar) { return nil }
        if searches < FontFallback.mostSearches {
            searches += 1
            if var font = FontFallback.font(isBold: isBold, with: scalar) {
                font.face = cairo_ft_font_face_create_for_pattern(font.pattern)
                others.append(font)
                if font.has(scalar) { return font.face }
            }
        }
        missing.insert(scalar)
        return nil
    }

    /// The font that fontconfig finds nearest to the usual one, among those that have a character
    /// if there is any.
    private static func font(isBold: Bool, with scalar: Unicode.Scalar?) -> Font? {
        guard let wanted = FcPatternCreate() else { return nil }
        defer { FcPatternDestroy(wanted) }
        FcPatternAddString(wanted, FC_FAMILY, TextStyle.families[0])
        FcPatternAddInteger(wanted, FC_WEIGHT, isBold ? FC_WEIGHT_BOLD : FC_WEIGHT_REGULAR)
        if let scalar, let characters = FcCharSetCreate() {
            FcCharSetAddChar(characters, scalar.value)
            FcPatternAddCharSet(wanted, FC_CHARSET, characters)
            FcCharSetDestroy(characters)
        }
        FcConfigSubstitute(nil, wanted, FcMatchPattern)
        FcDefaultSubstitute(wanted)
        var result = FcResultNoMatch
        guard let found = FcFontMatch(nil, wanted, &result) else { return nil }
        var characters: OpaquePointer?
        guard FcPatternGetCharSet(found, FC_CHARSET, 0, &characters) == FcResultMatch,
            let characters
        else {
            FcPatternDestroy(found)
            return nil
        }
        return Font(pattern: found, characters: characters)
    }
}
