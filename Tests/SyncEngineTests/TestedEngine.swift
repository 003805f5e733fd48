import EngineTwin

typealias TestedEngine = Twin
