"""The start of a process, before the first request: settings, the set of plugins and its checks, migrations."""
