"""What belongs to a browser context: its options, cookies and storage, what its pages emulate, and what it refuses."""
