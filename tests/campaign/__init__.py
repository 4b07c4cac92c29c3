"""Random releases over everything that Shoal offers, judged by plain code that knows nothing of Shoal."""
