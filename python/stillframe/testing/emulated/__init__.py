"""The parts of `stillframe.testing.EmulatedDevice`: packets, processes, sockets, files, shell and programs."""
