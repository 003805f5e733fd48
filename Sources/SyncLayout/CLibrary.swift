#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// Functions of the C library, whose module has a different name on each system.

/// Angles, in radians, and where on the circle of radius 1 they are.
enum Angle {
    static func sine(_ angle: Double) -> Double { sin(angle) }
    static func cosine(_ angle: Double) -> Double { cos(angle) }
    static func arcSine(_ sine: Double) -> Double { asin(sine) }
}
