// The shapes of what Python sends to the scripts that find and use elements, and of what they answer.

// Where to search: the document (null), or elements and what is in them.
export type Scope = Element[] | null;

// The source and the flags of a regular expression.
export type Pattern = [source: string, flags: string];

// A compound of a CSS selector: its combinator, all of it, what of it the browser matches, and the tests for the rest.
export type Link = [combinator: string, compound: string, base: string, tests: Test[]];
export type Links = Link[];
export type Test = ["anchor", Element] | ["scope" | "is" | "where" | "not" | "has", Links[]];

export type Steps = {
  css: { css: string; parts: Links[] };
  xpath: { xpath: string };
  text: Worded;
  role: Worded & { name: string | null; role: string; states: Record<string, unknown>; hidden: boolean | null };
  label: Worded;
  attribute: Worded & { attribute: string };
  testid: { id: string; pattern: Pattern | null };
  id: { id: string };
  or: { left: Step[]; right: Step[] };
  chain: { steps: Step[] };
  nth: { index: number };
  visible: { visible: boolean };
  "has-text": { text: string; pattern: Pattern | null; wanted: boolean };
  has: { steps: Step[]; wanted: boolean };
  and: { steps: Step[] };
};
export type Step = { [K in keyof Steps]: { kind: K } & Steps[K] }[keyof Steps];

// A text that is wanted: the whole of it, a part of it in any case, or what a regular expression finds something in.
export type Worded = { text: string; exact: boolean; pattern: Pattern | null };

// A chain of steps, within an element if it begins with one, or the element itself.
export type Chain = { steps: Step[]; scope?: Element | null };
export type Target = Chain | Element;

export type Fault = {
  fault: string;
  detail?: string | null;
  final?: boolean;
  soon?: boolean;
  what?: string;
  kind?: string;
  step?: number;
  count?: number;
  matches?: string[];
  cover?: Element | null;
  widget?: number;
};

// What Python knows of an action: the value to fill in, a position in the element, and so on.
export type Args = {
  value?: unknown;
  position?: { x: number; y: number } | null;
  read?: string;
  name?: string;
  passed?: number;
  files?: number;
  folders?: number;
  on?: boolean;
};

// The stages that an element must pass, by the kind of control that it is.
export type Need = { byKind?: Record<string, string[]>; any?: string[]; control?: string[] };

// One part of a name: its text, its source ("content" or another one), and whether a line breaks before or after it.
export type Part = { text: string; from: string; starts: boolean; ends: boolean; isFinal?: boolean };

// The state of one computation of a name.
export type Naming = {
  visited: Set<Element>;
  seen: { count: number };
  referred: Element | null;
  referredHidden: boolean;
  written: boolean;
  silent?: Element;
};

// A step of such a computation: it yields the steps that it needs, gets what they return, and returns a part.
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- no type says that a yield returns what it is given
export type Computing<T = Part> = Generator<Computing<any>, T, any>;

export type Box = { left: number; top: number; right: number; bottom: number };
export type Spot = { x: number; y: number };

// What covered an element, where it was then, and where the element was.
export type Covering = { cover: Element; box: DOMRect; beside: DOMRect | null };

// How often, and when, a search for a free point has scrolled.
export type Scrolling = { turn: number; rest: DOMRect | null; covers: Covering[]; movedAt: number };

export type Context = {
  element: Element;
  // What the selector found: the element itself, or a label or part that stands for it.
  named: Element;
  // What the pointer aims at.
  at: Element;
  kind: string;
  args: Args;
  scrolling: Scrolling;
  report: Record<string, unknown>;
};

// What is read from an element, or why there is nothing to read.
export type Answer = { read: unknown; fault?: undefined; detail?: undefined } | (Fault & { read?: undefined });
export type Reader = (element: Element, name: string) => Answer;

// A stage answers null if the element passes it.
export type Stage = (context: Context) => Fault | null | undefined | Promise<Fault | null | undefined>;

// How many files and folders an upload has.
export type Counts = { files?: number; folders?: number };
