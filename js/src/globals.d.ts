// What the scripts find in their world: each other's globals, and the bindings that call Python.

import type { everyInternal } from "./observer/internals.ts";

type Binding = ((text: string) => void) | undefined;

declare global {
  // Newer than the language that the scripts are written in: they ask whether it is there.
  var WeakRef: (new <T extends object>(target: T) => { deref(): T | undefined }) | undefined;
  interface ErrorConstructor {
    captureStackTrace(holder: object, below?: unknown): void;
    stackTraceLimit: number;
    isError?: (value: unknown) => value is Error;
  }

  // A literal without a prototype: types take its `__proto__` for a property.
  interface PropertyDescriptor {
    __proto__?: null;
  }
  interface EventInit {
    __proto__?: null;
  }
  interface SchedulerPostTaskOptions {
    __proto__?: null;
  }

  var __sf: typeof import("./elements/index.ts") | undefined;
  var __sfSettle: { everyInternal: typeof everyInternal } | undefined;
  var __sfRecorder: object | undefined;
  var __sfShownFrames: Element[] | undefined;
  var __sfChannel: ((topic: string, detail: string) => void) | undefined;
  // Called once the bindings are there: a document has none while its first scripts run.
  var __sfBound: (() => void)[] | undefined;
  var __sfOpenedByChrome: string[] | undefined;
  var __sfClosed: Binding;
  var __sfExternal: Binding;
  var __sfPage: Binding;
  var __sfPress: Binding;
  var __sfRecord: Binding;
  var __sfSignal: Binding;
  var __sfTyped: Binding;
  var __sfTyping: Binding;
}
