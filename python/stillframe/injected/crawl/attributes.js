// Returns the base URL of the document, and one attribute of each element that matches a CSS selector, in page order.
(selector, attribute) => ({
  base: document.baseURI,
  values: [...document.querySelectorAll(selector)].map(element => element.getAttribute(attribute)),
})
