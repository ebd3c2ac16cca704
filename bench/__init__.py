"""Benchmarks: each states its question, runs beside its rivals in one process run, and checks every answer."""
