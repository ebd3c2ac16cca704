"""The MCP server: `stillframe mcp` lets AI agents act on pages through the Model Context Protocol.

settings, descriptions        the options of the server; the texts in the schemas
arguments, schemas            the arguments of each tool, and their JSON schemas
capabilities, tools           groups of tools, and the table of tools
tool_row                      what a row of the table says of one tool
action_tools, sequence_tool   the tools that act
page_tools                    the tools that only read
session_tool                  the tool that manages sessions
session_provider              the sessions behind `sessionId`
replies, resource_store       replies within a budget, and storage for what does not fit and for files
structured_content            the structured content of replies
resources, prompts            what clients can read; texts that teach a model the tools
tasks                         calls that take long, whose results clients ask for
page_app                      a page that clients show beside a call
completion, announcing        values for arguments; notices of changes
error_mapping                 typed errors as tool results
clients, calls                the sessions of each client; the calls that run, each with a time limit
asking, before_call           asking the person; what they confirm and type before a call
secret_pages, loopback        pages on which they type secrets; HTTP servers on loopback
progress, handlers            one notification per action; the handlers of requests
server, late_handlers         the server of the SDK; the handlers, imported once it has answered `initialize`
http_clients, event_store     who makes an HTTP request and reads its response; streams that can be taken up again
stdio, http, run              the two transports, and the entry points of the command
"""
