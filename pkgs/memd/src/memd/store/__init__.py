"""The memory of one project on disk."""
