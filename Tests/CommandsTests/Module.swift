// Replaced by the tests.
