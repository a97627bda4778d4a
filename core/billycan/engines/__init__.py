"""The differences between the two databases: their connections and transactions, and the sending of statements."""
