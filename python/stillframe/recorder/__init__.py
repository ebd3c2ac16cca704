"""The recorder: what a person does on a page becomes a sequence file, and a file becomes other tools' formats."""
