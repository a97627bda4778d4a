"""Pages that every resource of the API gets: lists, records, forms, actions, emails, files and imports."""
