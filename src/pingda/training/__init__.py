"""The one training loop, and what keeps its state safe."""
