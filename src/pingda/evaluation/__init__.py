"""How good embeddings are: probes, protocols and the untrained floors."""
