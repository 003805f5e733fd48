import SyncEngine

typealias TestedEngine = Engine
