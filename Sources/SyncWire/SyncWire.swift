// SyncWire
