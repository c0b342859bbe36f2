"""Figures of `toolect new`: dialects induced of random formats, of shipped dialects, and of chat templates."""
