"""How well `toolect new` induces dialects: of random formats, of shipped dialects, and of chat templates."""
