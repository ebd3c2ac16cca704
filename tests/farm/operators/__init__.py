"""What operators meet, as tables: each case has a name, where its expectation comes from, what is given and expected.

Expectations come from standards or from what Chrome shows, never from our own output. A module holds the table of an
area, and `test_farm_operators_AREA.py` runs it.
"""
