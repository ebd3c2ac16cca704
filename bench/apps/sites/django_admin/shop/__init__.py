"""A shop, as an application of Django: what its admin site shows."""
