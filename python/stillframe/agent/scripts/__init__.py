"""Scripts: steps that were carried out once and run again without a model; they repair themselves."""
