/// Makes input lines from an input's choices. They use few ids and numbers, so that they meet.
struct LineChoices {
    var choices: InputBytes

    var isAtEnd: Bool { choices.isAtEnd }

    /// A line that can be read, mostly.
    mutating func line() -> String {
        switch choices.below(12) {
        case 0, 1, 2, 3: transaction()
        case 4, 5: view()
        case 6, 7: drag()
        case 8: presence()
        case 9: paste()
        case 10: raw()
        default:
            [
                "", "  ", "{}", #"{"undo":{}}"#, #"{"copy":{"ids":["\#(name("i", 0))"]}}"#,
                "\u{FEFF}{}",
            ][choices.below(6)]
        }
    }

    /// Any bytes of the input, without the end of a line.
    private mutating func raw() -> String {
        let bytes = (0..<choices.below(64)).map { _ in choices.byte() }
        return String(decoding: bytes.filter { $0 != 0x0A }, as: UTF8.self)
    }

    private mutating func item() -> String { "\"\(name("i", choices.below(6)))\"" }
    private mutating func section() -> String {
        ["\"main\"", "\"\(name("s", 0))\"", "\"\(name("s", 1))\"", "\"\""][choices.below(4)]
    }
    private mutating func value() -> String {
        [
            "1", "-0.5", "true", "null", "\"\"", "\"a\\u0000\\ud83e\\udd9c\"", "[1,[],{}]",
            "9007199254740993", "1e400", "\"\(String(repeating: "x", count: 300))\"",
        ][choices.below(10)]
    }

    private mutating func placement() -> String {
        switch choices.below(5) {
        case 0: #"{"section":\#(section())}"#
        case 1: #"{"after":\#(item())}"#
        case 2: #"{"before":\#(item()),"section":\#(section())}"#
        case 3: #"{"section":\#(section()),"index":\#(choices.below(4))}"#
        default: #"{"section":\#(section()),"after":\#(item()),"trail":[\#(item())]}"#
        }
    }

    private mutating func operation() -> String {
        switch choices.below(9) {
        case 0: #"{"delete":{"id":\#(item())}}"#
        case 1: #"{"move":{"id":\#(item()),"to":\#(placement())}}"#
        case 2: #"{"update":{"id":\#(item()),"set":{"title":\#(value())}}}"#
        case 3: #"{"increment":{"id":\#(item()),"field":"n","by":\#(value())}}"#
        case 4: #"{"insertSection":{"section":{"id":\#(section()),"fields":{"t":\#(value())}}}}"#
        case 5: #"{"deleteSection":{"id":\#(section())}}"#
        default:
            #"{"insert":{"item":{"id":\#(item()),"fields":{"title":\#(value())}},"to":\#(placement())}}"#
        }
    }

    private mutating func transaction() -> String {
        let operations = (0..<choices.below(4)).map { _ in operation() }.joined(separator: ",")
        let extra =
            switch choices.below(8) {
            case 0: #","tx":\#(choices.below(16))"#
            case 1: #","tx":9007199254740991"#
            case 2: #","base":\#(choices.below(16))"#
            case 3: #","base":\#(choices.below(16)),"id":"00","epoch":"01""#
            default: ""
            }
        return #"{"ops":[\#(operations)]\#(extra)}"#
    }

    private mutating func view() -> String {
        let id = name("v", choices.below(3))
        let rest =
            switch choices.below(6) {
            case 0: #""close":true"#
            case 1: #""bounds":{"x":0,"y":\#(choices.below(200)),"width":320,"height":480}"#
            case 2: #""anchor":{"id":\#(item()),"y":20}"#
            case 3: #""layout":{"kind":"columnFlow"},"snaps":true"#
            default:
                #""layout":{"kind":"\#(["flow", "waterfall", "mosaic", "circle", "none"][choices.below(5)])"},"#
                    + #""bounds":{"x":0,"y":0,"width":\#(choices.byte()),"height":480}"#
            }
        return #"{"view":{"id":"\#(id)",\#(rest)}}"#
    }

    private mutating func drag() -> String {
        switch choices.below(5) {
        case 0: #"{"drag":{"update":{"x":\#(choices.byte()),"y":\#(choices.byte())}}}"#
        case 1: #"{"drag":{"end":{}}}"#
        case 2: #"{"drag":{"cancel":{}}}"#
        default:
            #"{"drag":{"begin":{"id":\#(item()),"view":"\#(name("v", choices.below(3)))","shared":true}}}"#
        }
    }

    private mutating func presence() -> String {
        #"{"presence":{"selected":[\#(item())],"custom":\#(value())}}"#
    }

    private mutating func paste() -> String {
        let items = (0..<choices.below(3)).map { _ in #"{"id":\#(item())}"# }
        return
            #"{"paste":{"clipboard":{"room":"\#(FuzzedRooms.first)","items":[\#(items.joined(separator: ","))]},"to":"#
            + "\(placement())}}"
    }
}
