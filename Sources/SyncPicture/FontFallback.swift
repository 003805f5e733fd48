import CCairo

/// Chooses the font for a character: the usual one if it has the character, else any font of the
/// system that has it. cairo alone draws a box for a character that its font lacks; fontconfig
/// knows the characters of each font.
///
/// # Performance
/// A search takes milliseconds, so there are at most as many as it is made for. A font that was
/// found is used for all of its characters.
final class FontFallback {
    /// A part of a text that uses one font.
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

    /// Characters that no font has.
    private(set) var missing: Set<Unicode.Scalar> = []
    private let isBold: Bool
    private let usual: Font?
    private var others: [Font] = []
    private var searchesLeft: Int

    init(isBold: Bool, searches: Int) {
        self.isBold = isBold
        searchesLeft = searches
        usual = FontAccess.exclusively { FontFallback.font(isBold: isBold, with: nil) }
    }

    deinit {
        FontAccess.exclusively {
            for font in others + [usual].compactMap(\.self) {
                if let face = font.face { cairo_font_face_destroy(face) }
                FcPatternDestroy(font.pattern)
            }
        }
    }

    /// Splits a text into parts, each with its font. Marks stay with their letter. It is called
    /// within ``FontAccess/exclusively(_:)``.
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
        if searchesLeft > 0 {
            searchesLeft -= 1
            if var font = FontFallback.font(isBold: isBold, with: scalar) {
                font.face = cairo_ft_font_face_create_for_pattern(font.pattern)
                others.append(font)
                if font.has(scalar) { return font.face }
            }
        }
        missing.insert(scalar)
        return nil
    }

    /// The font that fontconfig considers nearest to the usual one, preferably with a given
    /// character.
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
