"""Shoal: every record hides in a shoal of at least k."""

__version__ = "0.1.0"
