"""Runs: a source, a method, settings and a seed, made repeatable."""
