"""What the testers find fault with, and why it stays so."""

from __future__ import annotations

FIXTURE = "asks for a tool, prompt or resource that only the suite's reference server has"
LOGGING = "the server sends no log messages, and the protocol of 2026-07-28 deprecates them"
SUBSCRIBE = "resources do not change once they are stored; changes of the list are announced"

EXPECTED: dict[str, str] = {
    "completion-complete": FIXTURE,
    "elicitation-sep1034-defaults": FIXTURE,
    "elicitation-sep1330-enums": FIXTURE,
    "http-custom-header-server-validation": "no tool has an argument that proxies should read (x-mcp-header)",
    "input-required-result-basic-elicitation": FIXTURE,
    "input-required-result-basic-list-roots": FIXTURE,
    "input-required-result-basic-sampling": FIXTURE,
    "input-required-result-capability-check": FIXTURE,
    "input-required-result-multi-round": FIXTURE,
    "input-required-result-multiple-input-requests": FIXTURE,
    "input-required-result-non-tool-request": FIXTURE,
    "input-required-result-request-state": FIXTURE,
    "input-required-result-result-type": FIXTURE,
    "input-required-result-tampered-state": FIXTURE,
    "json-schema-2020-12": FIXTURE,
    "logging-set-level": LOGGING,
    "prompts-get-embedded-resource": FIXTURE,
    "prompts-get-simple": FIXTURE,
    "prompts-get-with-args": FIXTURE,
    "prompts-get-with-image": FIXTURE,
    "resources-read-binary": FIXTURE,
    "resources-read-text": FIXTURE,
    "resources-subscribe": SUBSCRIBE,
    "resources-templates-read": FIXTURE,
    "resources-unsubscribe": SUBSCRIBE,
    "server-stateless": "four of its checks ask for tools that only the suite's reference server has",
    "tasks-capability-negotiation": FIXTURE,
    "tasks-dispatch-and-envelope": FIXTURE,
    "tasks-lifecycle": FIXTURE,
    "tasks-mrtr-composition": FIXTURE,
    "tasks-mrtr-input": "a call asks before it becomes a task, and never as one",
    "tasks-request-headers": FIXTURE,
    "tasks-request-state-removal": FIXTURE,
    "tasks-required-task-error": "no tool works as a task only",
    "tasks-wire-fields": FIXTURE,
    "tools-call-audio": FIXTURE,
    "tools-call-elicitation": FIXTURE,
    "tools-call-embedded-resource": FIXTURE,
    "tools-call-error": FIXTURE,
    "tools-call-image": FIXTURE,
    "tools-call-mixed-content": FIXTURE,
    "tools-call-sampling": FIXTURE,
    "tools-call-simple-text": FIXTURE,
    "tools-call-with-logging": LOGGING,
    "tools-call-with-progress": FIXTURE,
}
"""The reason by the scenario of the official suite. One that passes must leave this table."""

PASS_WITH_TOOLS = frozenset(
    {
        "tasks-capability-negotiation",
        "tasks-lifecycle",
        "tasks-request-headers",
        "tasks-request-state-removal",
        "tasks-wire-fields",
        "tools-call-audio",
        "tools-call-embedded-resource",
        "tools-call-error",
        "tools-call-image",
        "tools-call-mixed-content",
        "tools-call-simple-text",
        "tools-call-with-progress",
    }
)
"""What no longer fails when the same server has the tools of bench/mcp/reference_server.py, too."""

EXPECTED_WITH_TOOLS = {name: reason for name, reason in EXPECTED.items() if name not in PASS_WITH_TOOLS}

MAY_ONLY_FAIL_BY = (
    "unknown tool",
    "unknown prompt",
    "'json_schema_2020_12_tool' not found",
    "nothing is stored at test://",
    "Not testable",
    "Prerequisite",
    "Expected InputRequiredResult",
    "routing-task fixture",
    "tools/call for failing_job",
)
"""What the messages of scenarios with the reason `FIXTURE` may say: anything else is a fault of the server."""
