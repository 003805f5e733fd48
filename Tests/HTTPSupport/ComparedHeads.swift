import SyncBytes
package import SyncHTTPCodec

extension HTTPFields {
    /// The text of a field that a test knows; `nil` if it is missing, or there several times.
    package subscript(name: String) -> String? { value(of: name)?.shown }
}

// Tests compare what was read, byte by byte.

extension HTTPFields: Equatable {
    package static func == (left: HTTPFields, right: HTTPFields) -> Bool {
        left.all == right.all
    }
}

extension HTTPFields.Field: Equatable {
    package static func == (left: HTTPFields.Field, right: HTTPFields.Field) -> Bool {
        left.name == right.name && left.value.isSame(as: right.value)
    }
}

extension RequestHead: Equatable {
    package static func == (left: RequestHead, right: RequestHead) -> Bool {
        left.method == right.method && left.target == right.target && left.fields == right.fields
            && left.isKeepAlive == right.isKeepAlive && left.is11 == right.is11
    }
}

extension ResponseHead: Equatable {
    package static func == (left: ResponseHead, right: ResponseHead) -> Bool {
        left.status == right.status && left.fields == right.fields
    }
}

extension RequestReader.Event: Equatable {
    package static func == (left: RequestReader.Event, right: RequestReader.Event) -> Bool {
        switch (left, right) {
        case (.head(let left), .head(let right)): left == right
        case (.body(let left), .body(let right)): left == right
        case (.end, .end): true
        default: false
        }
    }
}
