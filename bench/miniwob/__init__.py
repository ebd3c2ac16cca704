"""MiniWoB++ by rules: small web tasks, solved with stillframe's own calls and without a model."""
