"""Readers of raw files: one family of benchmarks a module."""
