"""The clock of a page: the wall clock, or a virtual clock that the engine controls."""
