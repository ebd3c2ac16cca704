"""A small shop on loopback to try stillframe on, and the three sequences that `stillframe demo` runs on it."""

from stillframe.demo.shop import Shop as Shop
