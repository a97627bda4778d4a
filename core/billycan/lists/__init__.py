"""Lists: the filters of a query, the statements behind a page and its total, and pages with their cursors."""
