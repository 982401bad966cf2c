// Receivers
