"""Slow, obvious computations that the fast ones must agree with."""
