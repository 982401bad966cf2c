// Locator
