"""The rules of a spec as a network, its nodes, and the markers that end free text at each.

Others import `edge_choice`, `expectations`, `finder`, `graph`, `misspelling`, `needle`, `network`, `node`, `rivals`,
`slot_stops`, `spelling`, `stop_plan`, `stops`, `symbols`, `text_signs`, `trails`, `trouble_plans`; all else is its own.
"""
