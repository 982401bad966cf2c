// Captures
