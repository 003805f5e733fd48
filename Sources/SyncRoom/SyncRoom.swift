// SyncRoom
