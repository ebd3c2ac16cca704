"""A small shop on loopback to try stillframe on, and the three sequences of `stillframe demo`."""

from stillframe.demo.shop import Shop as Shop
