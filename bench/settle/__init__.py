"""settlebench: scripted pages, and how long each way of waiting takes to notice that they have settled.

Every page carries its own truth (`cases.py`), marks the moments of the changes its action causes, and is driven by
lanes (`lanes.py`) in random order (`runner.py`); `metrics.py` says what their figures mean.
"""
