// The row of an element: the largest part of the page that holds it and none that looks like it.

const LIKE = "button, a, input, select, textarea, summary, [role], [tabindex], [onclick]";
const MAX_ROW = 2000;

function said(element: Element): string {
  const { innerText } = element as HTMLElement;
  return (element.getAttribute("aria-label") || innerText || element.getAttribute("title") || "").trim();
}

const sign = (element: Element) => `${(element as HTMLInputElement).type || ""}|${said(element)}`;

export function rowText(element: Element): string {
  const own = sign(element);
  const alike = [...(element.getRootNode() as Document).querySelectorAll(`${LIKE}, ${element.localName}`)];
  const twins = alike.filter(
    (each) => each !== element && !each.contains(element) && !element.contains(each) && sign(each) === own,
  );
  let row = element;
  for (let up = row.parentElement; up && !twins.some((each) => up!.contains(each)); up = row.parentElement) row = up;
  const text = (row as HTMLElement).innerText || row.textContent || "";
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_ROW);
}
