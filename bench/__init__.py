"""Measures memd from outside, beside a bare interpreter: `make bench`."""
