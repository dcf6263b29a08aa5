"""Names that scripts import from Playwright's private modules."""
