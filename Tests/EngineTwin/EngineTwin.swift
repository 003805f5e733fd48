// EngineTwin
