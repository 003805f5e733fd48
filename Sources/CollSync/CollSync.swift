// CollSync
