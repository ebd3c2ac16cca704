"""The parts of `stillframe_phone.EmulatedDevice`: packets, processes, sockets, files, shell and programs."""
