"""A tiny program that speaks JSON-RPC on stdio the way MCP servers do: the tests' stand-in for a rival.

Its first argument says how it behaves; see `HABITS`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

SNAPSHOT = '## Latest page snapshot\nuid=1_0 RootWebArea "t"\n  uid=1_1 button "Go"\n  uid=1_2 textbox\n'


def send(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tool(name: str, arguments: dict[str, object]) -> dict[str, object]:
    text = {
        "list_pages": "## Pages\n1: about:blank\n7: t (http://x/) [selected]",
        "take_snapshot": SNAPSHOT,
        "evaluate_script": "Script ran on page and returned:\n```json\n1\n```",
        "click": f"Successfully clicked {arguments.get('uid')} on page {arguments.get('pageId')}",
    }.get(name)
    if text is None:
        return {"content": [{"type": "text", "text": f"Error: no tool {name}\nmore"}], "isError": True}
    return {"content": [{"type": "text", "text": text}, {"type": "image", "data": ""}]}


def answer(request: dict[str, object]) -> None:
    method, params = request["method"], request["params"]
    assert isinstance(params, dict)
    if method == "initialize":
        send({"id": request["id"], "result": {"protocolVersion": params["protocolVersion"]}})
    elif method == "tools/call":
        send({"id": request["id"], "result": tool(params["name"], params["arguments"])})
    elif method == "echo":
        send({"id": request["id"], "result": params})
    else:
        send({"id": request["id"], "error": {"code": -32601, "message": f"unknown method {method}"}})


def main(habit: str) -> None:
    if habit == "dies":
        sys.exit("out of cheese")
    if habit == "chatty":
        sys.stdout.write("listening, says a log line\n[1, 2]\n")
        send({"method": "notifications/message", "params": {}})
        send({"id": "their-1", "method": "ping"})
        send({"id": "their-2", "method": "roots/list"})
    if habit == "family":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    heard = []
    for line in sys.stdin:
        message = json.loads(line)
        if "method" not in message:
            heard.append(message)
        elif message["method"] == "heard":
            send({"id": message["id"], "result": heard})
        elif "id" in message and habit != "silent":
            answer(message)
    if habit in ("stubborn", "family"):
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1])
