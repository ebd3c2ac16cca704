// The tools that a document offers by WebMCP.

import { getter, has, queryIn, writtenAttr } from "../dom/nodes.ts";

type Hints = {
  readOnlyHint?: boolean;
  untrustedContentHint?: boolean;
  consequentialHint?: boolean;
  debugging?: boolean;
};
type Tool = { name: string; description: string; inputSchema?: string; annotations?: Hints; window: unknown };
type Offering = { modelContext: { getTools(): Promise<Tool[]> } };

const contextOf =
  "modelContext" in Document.prototype ? getter(Document.prototype as unknown as Offering, "modelContext") : null;

// Returns whether a document may offer tools, and whether its browser lets it. A polyfill of the page does not show in the
// isolated world.
export const mayOfferTools = () => [isSecureContext, contextOf !== null];

// Returns the tools that a document registered, in the form of `WebMCPTool`.
export async function offeredTools() {
  if (!contextOf) return [];
  const tools = await contextOf(document as unknown as Offering).getTools();
  // Those of other frames of its origin are listed as well.
  return tools.filter((tool) => tool.window === window).map(described);
}

function described({ name, description, inputSchema, annotations }: Tool) {
  const hints = annotations || {};
  const form = [...queryIn(document, "form")].find((each) => writtenAttr(each, "toolname") === name);
  return {
    name,
    description,
    inputSchema: inputSchema || null,
    isForm: Boolean(form),
    annotations: {
      readOnly: Boolean(hints.readOnlyHint),
      untrustedContent: Boolean(hints.untrustedContentHint),
      consequential: Boolean(hints.consequentialHint),
      debugging: Boolean(hints.debugging),
      autosubmit: form !== undefined && has(form, "toolautosubmit"),
    },
  };
}

// Resolves after two turns of the page: by then Chrome has reported an input that does not fit the form that it filled in
// (measured).
export const formFilled = (): Promise<void> => new Promise((resolve) => setTimeout(() => setTimeout(resolve)));
