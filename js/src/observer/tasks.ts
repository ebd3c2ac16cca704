// Promises of frames, of tasks, and of a queue that drains.

import { after, postTask } from "../dom/nodes.ts";
import { frame } from "./observer.ts";

export const FALLBACK_MS = 120; // a hidden tab renders no frames

// Resolves to the value of a promise, or to undefined after `ms`.
export function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const off = after(ms, () => resolve(undefined));
    promise.then((value) => {
      off();
      resolve(value);
    });
  });
}

export function task(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(0);
  });
}

// Waits for a frame and the tasks that it queues.
export async function frameAndTasks() {
  await frame();
  // Observing again within the callback would be a ResizeObserver loop, which the page gets an error event for.
  await task();
  return true;
}

// Resolves when no other task is queued: a chain of messages or of zero-delay timeouts runs before.
export const whenIdle = () => (postTask ? postTask(() => true, { priority: "background" }) : task().then(() => true));
