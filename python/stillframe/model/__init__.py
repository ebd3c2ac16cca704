"""Input and output values: actions, options, verdicts and results. No I/O and no clocks."""
