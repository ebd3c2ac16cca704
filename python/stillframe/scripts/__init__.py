"""Scripts: steps that were carried out once and run again without a model. `stillframe.agent` writes and repairs one."""
