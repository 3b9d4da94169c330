"""What the CLIs call."""
