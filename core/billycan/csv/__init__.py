"""CSV files: rows that become records, and lists as files."""
