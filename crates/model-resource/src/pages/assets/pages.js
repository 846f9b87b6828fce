// Pages.
