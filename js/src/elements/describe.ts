// Descriptions of elements for messages and hints.

import { attr, tagOf } from "../dom/nodes.ts";
import { legibleName, tidy } from "./names.ts";
import { isEditingHost } from "./roles.ts";
import { isRendered, plainText, shorten } from "./tree.ts";
import { ROLES } from "./role_table.ts";

export const TEST_IDS = ["data-testid", "data-test-id", "data-test", "data-qa", "data-cy"];
export const ID_ATTRIBUTES = ["id", "name", "content-desc", "resource-id", "accessibility-id", ...TEST_IDS];

// Roles whose elements users refer to by name.
export const CONTROLS = new Set([
  "columnheader",
  "dialog",
  "heading",
  "img",
  "rowheader",
  "tooltip",
  ...Object.keys(ROLES).filter((role) => ROLES[role].control && !ROLES[role].synonym),
]);

// Never includes a value, which may be a secret.
export function describe(element: Element) {
  const id = attr(element, "id");
  const mark = id
    ? `#${id}`
    : ["name", "data-testid", "type", "role"]
        .filter((name) => attr(element, name))
        .slice(0, 1)
        .map((name) => `[${name}=${JSON.stringify(attr(element, name))}]`)
        .join("");
  const first =
    id || mark
      ? ""
      : (attr(element, "class") || "")
          .trim()
          .split(/\s+/)
          .filter(Boolean)
          .slice(0, 2)
          .map((name: string) => `.${name}`)
          .join("");
  const name =
    legibleName(element) ||
    tidy(attr(element, "aria-label") || "") ||
    (isEditingHost(element) || tagOf(element) === "select" ? "" : plainText(element));
  return `${tagOf(element)}${shorten(mark, 80)}${first}${name ? ` ${JSON.stringify(shorten(name))}` : ""}`;
}

export const listed = (element: Element) => describe(element) + (isRendered(element) ? "" : " (not rendered)");
