"""The values that go in and come out: actions, options, verdicts, results. No I/O, no clocks."""
