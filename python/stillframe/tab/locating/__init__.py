"""Selectors, and how they find elements."""
