"""What a tab reports: its console, errors, dialogs, frames and workers."""
