"""Messy tables in many languages, with the truth about every column beside them."""
