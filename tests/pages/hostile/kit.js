// What all hostile pages share. `#go` writes "went" when a request that it sends has been answered, with built-ins that were
// taken before the page could tamper with them. `again` starts what never ends: at a click on `#storm`, or at once when
// the URL says `?now`.
(() => {
  const { document } = window;
  const make = (tag, id) => {
    const element = document.createElement(tag);
    element.id = element.textContent = id;
    document.body.append(element);
    return element;
  };
  const text = Object.getOwnPropertyDescriptor(Node.prototype, "textContent").set;
  const { open, send } = XMLHttpRequest.prototype;
  const { apply } = Reflect;
  const Request = XMLHttpRequest;
  const go = make("button", "go"), storm = make("button", "storm"), out = make("p", "out");
  go.onclick = () => {
    const request = new Request();
    request.onload = () => apply(text, out, ["went"]);
    apply(open, request, ["GET", "/slow?ms=120"]);
    apply(send, request, []);
  };
  window.again = (start) => {
    if (location.search.startsWith("?now")) start();
    storm.onclick = start;
  };
})();
