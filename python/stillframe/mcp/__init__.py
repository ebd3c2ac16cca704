"""The MCP server: `stillframe mcp`, for agents that act on pages through the Model Context Protocol.

arguments  what each tool takes                      schemas   JSON schemas, made of the Structs
tools      the table of tools and what each does     sessions  the pages behind `sessionId`
text       the reply that a model reads              framing   page text is data: the frame it stands in
reply      budgets, and what is left over            store     where the left-over can be read for a while
faults     typed errors                              server    all that as handlers of the SDK
stdio, http  the two transports
"""
