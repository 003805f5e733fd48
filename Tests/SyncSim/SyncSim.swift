// SyncSim
