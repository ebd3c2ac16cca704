"""Pages without end, and the budgets of a crawl: what a crawl leaves out, and what it says of that."""
