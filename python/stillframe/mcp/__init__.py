"""The MCP server: `stillframe mcp`, for agents that act on pages through the Model Context Protocol.

settings, words     what was decided at the start; what the schemas say
arguments, schemas  what each tool takes, and how that is told
tools               the table of tools
acting, looking     what they do: run a sequence; read, picture, manage sessions
desk                the pages behind `sessionId`
text, framing       the reply that a model reads, and the frame that page text stands in
reply, store        budgets, and where the rest can be read for a while
results, faults     structured content, and typed errors
progress, server    one notice per action; all that as handlers of the SDK, each call with its deadline
stdio, http, run    the two transports, and what the command starts
"""
