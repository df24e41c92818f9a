"""Candidate to Verdict: run the tests against it, within limits."""
