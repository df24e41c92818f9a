"""Failure and Site to ranked, audited candidates."""
