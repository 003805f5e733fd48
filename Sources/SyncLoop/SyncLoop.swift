// SyncLoop
