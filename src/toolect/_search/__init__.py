"""Error recovery by search: an answer is read along the cheapest path of edges, each with a cost in one table.

Others import `answer_search`, and, for what may follow at a node, `blank_end`, `follow`, `island` and `json_ends`; a
search over several grammars also `actions`, `hypothesis`, `pass_through`, `performer`, `prefill`, `stepping`,
`text_boundaries`, `text_edges`, `text_markers`, `trace` and `window`; all else is its own.
"""
