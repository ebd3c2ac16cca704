"""Sequences: act, settle, compare, report."""
