"""What memd remembers between runs."""
