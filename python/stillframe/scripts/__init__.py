"""Steps that were carried out once, which run again without a model. The agent writes and repairs them."""
