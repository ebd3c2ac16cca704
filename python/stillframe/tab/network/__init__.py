"""Requests and WebSockets: what a tab sends and receives, and how a caller changes it."""
