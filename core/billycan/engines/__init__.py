"""What differs between the two databases: their connections and transactions, and how statements reach them."""
