package import SyncModel

/// Why an update does not fit what a view shows.
package enum ViewScreenError: Error, Equatable, Sendable {
    /// It is not the one that follows.
    case wrongNumber(held: UInt64, UInt64)
    /// It tells of an element that is not there.
    case unknownKey(UInt32)
    /// It tells of an element twice, or has one appear that is there.
    case repeatedKey(UInt32)
    /// An element shows an item or a section whose content was not told.
    case unknownThing(Identifier)
    /// It tells a content twice.
    case repeatedThing(Identifier)
}
