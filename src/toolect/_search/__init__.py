"""Error recovery by search: an answer is read along the cheapest path of edges, each with a cost in one table.

Others import `answer_search`, `trace` and, for what may follow at a node, `follow`, `island` and `json_ends`; all else is
its own.
"""
