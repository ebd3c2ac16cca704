// Lets Python decide about the WebSockets of a page: it replaces the constructor by one that asks first. A socket that no
// route wants is a real one behind this face; of the others Python is the server, or stands between the page and it.
export default function routeSockets(key: string) {
  const Native = globalThis.WebSocket;
  if (typeof Native !== "function") return;
  const { parse, stringify } = JSON;
  const { defineProperty, setPrototypeOf } = Object;
  const OwnEvent = CustomEvent,
    OwnMessage = MessageEvent,
    OwnClose = CloseEvent,
    Plain = Event,
    OwnBlob = Blob,
    OwnURL = URL;
  const target = performance,
    topic = `${key}sockets`;
  const CONNECTING = 0,
    OPEN = 1,
    CLOSING = 2,
    CLOSED = 3;

  // The next document may reuse the window of this one, and the script may run twice in one document.
  let taken = false;
  const onPresent = () => {
    taken = true;
  };
  target.addEventListener(`${topic}!`, onPresent);
  target.dispatchEvent(new OwnEvent(`${topic}?`));
  target.removeEventListener(`${topic}!`, onPresent);
  if (taken) return;
  target.addEventListener(`${topic}?`, () => target.dispatchEvent(new OwnEvent(`${topic}!`)));

  const tell = (message: object) =>
    target.dispatchEvent(new OwnEvent(key, { detail: stringify({ ...message, kind: "socket" }) }));
  const sockets = new Map<string, OwnSocket>();
  const run = Math.random().toString(36).slice(2);
  let count = 0;

  const toBase64 = (buffer: ArrayBufferLike) => {
    const bytes = new Uint8Array(buffer);
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192)
      text += String.fromCharCode.apply(null, bytes.subarray(at, at + 8192) as unknown as number[]);
    return btoa(text);
  };
  const fromBase64 = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;

  // What a message holds. A Blob takes time to read, and what is sent after it waits for it.
  type Then = (text: string, binary: boolean) => void;
  const plain = (own: OwnSocket, data: unknown, then: Then) => {
    if (data instanceof OwnBlob || own.reading) {
      const read = data instanceof OwnBlob ? new Response(data).arrayBuffer() : data;
      const turn: Promise<void> = (own.reading = Promise.all([read, own.reading]).then(([content]) => {
        if (own.reading === turn) own.reading = null;
        at(content, then);
      }));
    } else at(data, then);
  };
  const at = (data: unknown, then: Then) => {
    if (typeof data === "string") then(data, false);
    else if (ArrayBuffer.isView(data))
      then(toBase64(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)), true);
    else if (data instanceof ArrayBuffer) then(toBase64(data), true);
    else then(String(data), false);
  };

  // A socket as the scripts know it; `native` is the real one behind it, if there is one.
  type OwnSocket = {
    id: string;
    url: string;
    state: number;
    type: BinaryType;
    protocol: string;
    protocols: string[];
    native: globalThis.WebSocket | null;
    routed: boolean;
    reading: Promise<void> | null;
    face: WebSocket;
    handlers: Record<string, ((this: WebSocket, event: Event) => unknown) | null>;
  };

  type Closing = [code?: number, reason?: string];

  class WebSocket extends EventTarget {
    declare readonly [hidden]: OwnSocket;
    constructor(url: string, protocols?: string | string[]) {
      super();
      const whole = new OwnURL(url, document.baseURI);
      if (whole.protocol === "http:") whole.protocol = "ws:";
      if (whole.protocol === "https:") whole.protocol = "wss:";
      if (!/^wss?:$/.test(whole.protocol))
        throw new DOMException(
          `The URL's scheme must be either 'http', 'https', 'ws', or 'wss'. '${whole.protocol.slice(0, -1)}' is not allowed.`,
          "SyntaxError",
        );
      const own: OwnSocket = {
        id: `${run}-${++count}`,
        url: whole.href,
        state: CONNECTING,
        type: "blob",
        protocol: "",
        protocols: protocols === undefined ? [] : ([] as unknown[]).concat(protocols).map(String),
        native: null,
        routed: false,
        reading: null,
        face: this,
        handlers: {},
      };
      defineProperty(this, hidden, { value: own });
      sockets.set(own.id, own);
      tell({ op: "open", id: own.id, url: own.url, protocols: own.protocols });
    }
    get url() {
      return this[hidden].url;
    }
    get readyState() {
      return this[hidden].state;
    }
    get protocol() {
      return this[hidden].protocol;
    }
    get extensions() {
      const { native } = this[hidden];
      return native ? native.extensions : "";
    }
    get bufferedAmount() {
      const { native } = this[hidden];
      return native ? native.bufferedAmount : 0;
    }
    get binaryType() {
      return this[hidden].type;
    }
    set binaryType(type) {
      const own = this[hidden];
      if (type !== "blob" && type !== "arraybuffer") return;
      own.type = type;
      if (own.native && !own.routed) own.native.binaryType = type;
    }
    send(data: string | Blob | BufferSource) {
      const own = this[hidden];
      if (own.state === CONNECTING)
        throw new DOMException(
          "Failed to execute 'send' on 'WebSocket': Still in CONNECTING state.",
          "InvalidStateError",
        );
      if (own.state !== OPEN) return;
      if (!own.routed) own.native!.send(data);
      else plain(own, data, (text, binary) => tell({ op: "message", id: own.id, data: text, binary }));
    }
    close(code?: number, reason?: string) {
      const own = this[hidden];
      if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999))
        throw new DOMException(
          `Failed to execute 'close' on 'WebSocket': The close code must be either 1000, or between 3000 and 4999. ${code} is neither.`,
          "InvalidAccessError",
        );
      if (own.state >= CLOSING) return;
      own.state = CLOSING;
      if (own.native && !own.routed) own.native.close(...((code === undefined ? [] : [code, reason]) as Closing));
      else
        tell({
          op: "close",
          id: own.id,
          code: code === undefined ? null : code,
          reason: reason === undefined ? "" : String(reason),
        });
    }
  }
  const hidden = Symbol("socket");
  for (const [name, value] of [
    ["CONNECTING", CONNECTING],
    ["OPEN", OPEN],
    ["CLOSING", CLOSING],
    ["CLOSED", CLOSED],
  ]) {
    defineProperty(WebSocket, name, { value, enumerable: true });
    defineProperty(WebSocket.prototype, name, { value, enumerable: true });
  }
  for (const name of ["open", "message", "error", "close"]) {
    defineProperty(WebSocket.prototype, `on${name}`, {
      configurable: true,
      enumerable: true,
      get() {
        return this[hidden].handlers[name] || null;
      },
      set(handler) {
        const { handlers } = this[hidden];
        if (!(name in handlers))
          this.addEventListener(name, (event: Event) => {
            const own = handlers[name];
            if (own) own.call(this, event);
          });
        handlers[name] = typeof handler === "function" ? handler : null;
      },
    });
  }
  defineProperty(WebSocket.prototype, Symbol.toStringTag, { value: "WebSocket", configurable: true });

  const opened = (own: OwnSocket, protocol: string) => {
    if (own.state !== CONNECTING) return;
    own.state = OPEN;
    own.protocol = protocol;
    own.face.dispatchEvent(new Plain("open"));
  };
  const received = (own: OwnSocket, data: unknown) => {
    if (own.state === OPEN)
      own.face.dispatchEvent(new OwnMessage("message", { data, origin: new OwnURL(own.url).origin }));
  };
  const ended = (own: OwnSocket, { code, reason, wasClean }: Pick<CloseEvent, "code" | "reason" | "wasClean">) => {
    if (own.state === CLOSED) return;
    own.state = CLOSED;
    sockets.delete(own.id);
    own.face.dispatchEvent(new OwnClose("close", { code, reason, wasClean }));
  };
  const connect = (own: OwnSocket) => {
    if (own.native) return own.native;
    const native = (own.native = own.protocols.length ? new Native(own.url, own.protocols) : new Native(own.url));
    native.binaryType = own.routed ? "arraybuffer" : own.type;
    native.addEventListener("open", () =>
      own.routed
        ? (tell({ op: "serverOpen", id: own.id }), opened(own, native.protocol))
        : opened(own, native.protocol),
    );
    native.addEventListener("error", () => own.face.dispatchEvent(new Plain("error")));
    native.addEventListener("message", ({ data }) => {
      if (!own.routed) received(own, data);
      else at(data, (text, binary) => tell({ op: "server", id: own.id, data: text, binary }));
    });
    native.addEventListener("close", (event) => {
      if (!own.routed) ended(own, event);
      else tell({ op: "serverClose", id: own.id, code: event.code, reason: event.reason, clean: event.wasClean });
    });
    return native;
  };
  // What Python sends with a deed; each deed reads some of these fields.
  type Given = { data: string; binary: boolean; code: number | null; reason: string; clean: boolean };
  const deeds: Record<string, (own: OwnSocket, given: Given) => void> = {
    pass: (own) => {
      connect(own);
      if (own.state === CLOSING) own.native!.close();
    },
    accept: (own) => {
      own.routed = true;
      opened(own, own.protocols[0] || "");
    },
    connect: (own) => {
      own.routed = true;
      connect(own);
    },
    message: (own, { data, binary }) => {
      const content = binary ? fromBase64(data) : data;
      received(own, binary && own.type === "blob" ? new OwnBlob([content]) : content);
    },
    close: (own, { code, reason }) => ended(own, { code: code === null ? 1005 : code, reason, wasClean: true }),
    ended: (own, { code, reason, clean }) => ended(own, { code: code!, reason, wasClean: clean }),
    toServer: (own, { data, binary }) => {
      const native = connect(own),
        content = binary ? fromBase64(data) : data;
      if (native.readyState === OPEN) native.send(content);
      else if (native.readyState === CONNECTING)
        native.addEventListener("open", () => native.send(content), { once: true });
    },
    closeServer: (own, { code, reason }) => {
      if (own.native) own.native.close(...((code === null ? [] : [code, reason]) as Closing));
    },
  };
  target.addEventListener(topic, (event) => {
    const { id, op, ...given } = parse((event as CustomEvent<string>).detail);
    const own = sockets.get(id);
    if (own) deeds[op](own, given);
  });
  setPrototypeOf(WebSocket, EventTarget);
  defineProperty(globalThis, "WebSocket", { value: WebSocket, writable: true, configurable: true });
}
